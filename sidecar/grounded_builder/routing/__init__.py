"""Agent tool routing: shows tools to a model, reads its calls, falls back, runs calls in order."""
