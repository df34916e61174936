"""Runs workflows in an n8n of their own, where a proxy answers in place of every service."""
