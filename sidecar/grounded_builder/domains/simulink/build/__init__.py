"""Builds the artifact of a model."""
