"""Checks an installation: the parts that work, are not set up, are doubtful, or fail."""
