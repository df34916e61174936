"""Builds the artifact of a list of calls."""
