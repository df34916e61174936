"""Lowers a plan into a native n8n workflow."""
