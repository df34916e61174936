"""Compiles plans and calls for any list of tool definitions."""
