"""What prompts say about Simulink."""
