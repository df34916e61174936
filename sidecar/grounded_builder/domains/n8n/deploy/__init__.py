"""Imports an artifact into a running n8n, and publishes it."""
