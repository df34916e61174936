"""Import an artifact into a running n8n, and publish it."""
