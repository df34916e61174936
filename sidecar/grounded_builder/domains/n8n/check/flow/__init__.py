"""Checks of what starts a workflow, what runs in it and how it ends."""
