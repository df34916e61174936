"""Catalog entries of n8n nodes, compiled for the checks."""
