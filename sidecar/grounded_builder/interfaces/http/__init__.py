"""Serves the HTTP API of the sidecar."""
