"""Provides the facts that prompts state about tool calls."""
