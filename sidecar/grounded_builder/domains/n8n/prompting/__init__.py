"""Provides the parts of prompts that are about n8n."""
