"""Looks up values of the user's account in the lists that n8n's editor offers."""
