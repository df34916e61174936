"""Compiles drafts: parses, resolves, checks, fixes and builds them."""
