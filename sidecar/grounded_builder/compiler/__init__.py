"""Checks of plans that need no domain."""
