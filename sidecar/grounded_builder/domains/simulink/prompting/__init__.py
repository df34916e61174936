"""The facts that prompts state about Simulink."""
