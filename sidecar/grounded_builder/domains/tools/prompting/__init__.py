"""What prompts say about tool calls."""
