"""Manages jobs: models drafted here and built by workers elsewhere."""
