"""Calls language models: at endpoints, and on this machine."""
