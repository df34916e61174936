"""The JSON shapes of requests and responses."""
