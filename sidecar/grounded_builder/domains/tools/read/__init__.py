"""Reads tool definitions and lists of calls."""
