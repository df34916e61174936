"""Checks of n8n workflows."""
