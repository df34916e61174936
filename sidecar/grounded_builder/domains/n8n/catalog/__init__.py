"""Compiles catalog entries of n8n nodes for the checks."""
