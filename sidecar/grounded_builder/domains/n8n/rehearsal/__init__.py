"""Rehearses workflows in a separate n8n, where a local proxy answers in place of every service."""
