"""Routes requests to tools: shows tools to a model, reads its calls, returns them in order."""
