"""Lowers a plan into tool calls."""
