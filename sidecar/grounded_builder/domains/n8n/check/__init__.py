"""The checks of n8n workflows."""
