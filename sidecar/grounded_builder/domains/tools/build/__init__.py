"""Build the artifact of a list of calls that is not wrong."""
