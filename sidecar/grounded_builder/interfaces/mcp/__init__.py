"""Serves the sidecar's tools over the Model Context Protocol."""
