"""What prompts say about n8n."""
