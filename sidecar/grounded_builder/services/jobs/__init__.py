"""Models that are drafted here and built by workers elsewhere."""
