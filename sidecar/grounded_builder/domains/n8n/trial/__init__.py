"""Runs a safe copy of a workflow in n8n, and reads what happened."""
