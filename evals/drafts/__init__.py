"""Repairs model-written drafts and corrupted workflows, and judges them by a real n8n."""
