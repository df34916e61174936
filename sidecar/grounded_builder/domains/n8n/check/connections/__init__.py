"""Checks of the edges of a workflow and of the ports that they join."""
