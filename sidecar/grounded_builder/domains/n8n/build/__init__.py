"""Builds the artifact of a workflow without errors."""
