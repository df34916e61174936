"""The HTTP interface of the sidecar."""
