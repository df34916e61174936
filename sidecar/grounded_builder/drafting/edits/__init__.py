"""Edits of an existing document: their language, reading and application."""
