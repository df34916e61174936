"""Checks of triggers, reachability, loops and responses of a workflow."""
