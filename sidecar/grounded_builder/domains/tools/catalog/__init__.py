"""Tool definitions, compiled for the checks."""
