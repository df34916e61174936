"""Resolve the names of tools."""
