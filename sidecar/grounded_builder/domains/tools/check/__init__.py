"""The checks of tool calls."""
