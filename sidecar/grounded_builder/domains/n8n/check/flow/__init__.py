"""Checks the triggers, reachability, loops and responses of a workflow."""
