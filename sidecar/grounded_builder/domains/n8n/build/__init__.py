"""Build the artifact of a workflow that is not wrong."""
