"""The facts that prompts state about tool calls."""
