"""Reads edits of an existing document from replies or rules, and applies them."""
