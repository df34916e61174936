"""Installs and starts the programs around the sidecar: Node, n8n, the catalog sync."""
