"""Read n8n workflow documents into graphs."""
