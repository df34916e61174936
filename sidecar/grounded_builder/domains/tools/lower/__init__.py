"""Lower a plan into tool calls."""
