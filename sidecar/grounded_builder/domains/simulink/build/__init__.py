"""Build the artifact of a model that is not wrong."""
