"""Analyses of a workflow: its ports, links, cycles and execution order."""
