"""Applies edits to n8n workflows."""
