"""Routes requests to tools: shows tools to a model, reads its calls, runs them in order."""
