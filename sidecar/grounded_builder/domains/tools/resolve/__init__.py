"""Resolves the names of tools."""
