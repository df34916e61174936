"""Builds the artifact of a compiled workflow that has no errors."""
