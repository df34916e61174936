"""Defines the JSON shapes of requests and responses."""
