"""Agent tool routing: show the tools, read what a model chose, fall back, run in order."""
