"""The n8n part of prompts."""
