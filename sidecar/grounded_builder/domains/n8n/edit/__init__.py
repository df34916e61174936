"""Edits of n8n workflows."""
