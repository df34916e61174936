"""Lints files: decides which findings to show, and which a person has accepted."""
