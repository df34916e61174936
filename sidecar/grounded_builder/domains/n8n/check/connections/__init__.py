"""Checks the edges of a workflow and the ports that they connect."""
