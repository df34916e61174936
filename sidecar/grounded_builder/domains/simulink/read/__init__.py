"""Reads model files into the JSON value of a model."""
