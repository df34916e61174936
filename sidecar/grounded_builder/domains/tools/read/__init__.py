"""Read tool definitions and lists of calls."""
