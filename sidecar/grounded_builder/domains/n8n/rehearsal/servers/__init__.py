"""Knows the servers of a rehearsal for other protocols than HTTP, and what they contain."""
