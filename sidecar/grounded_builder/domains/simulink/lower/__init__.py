"""Lowers a plan into a model."""
