"""Checks tool calls."""
