"""Computes facts about a workflow: its ports, links, cycles and execution order."""
