"""Reads n8n workflow documents into graphs."""
