"""Model-written drafts and corrupted twins, repaired and then judged by a real n8n."""
