"""What holds of a workflow: its ports, links, cycles and execution order."""
