"""Hostile drafts, and how many of them pass the policy."""
