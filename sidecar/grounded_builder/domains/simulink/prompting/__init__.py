"""Provides the facts that prompts state about Simulink."""
