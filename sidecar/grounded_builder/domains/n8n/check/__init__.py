"""Checks n8n workflows."""
