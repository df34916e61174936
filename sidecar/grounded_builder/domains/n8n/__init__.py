"""Compiles drafts of n8n workflows."""
