"""Changes to n8n workflows."""
