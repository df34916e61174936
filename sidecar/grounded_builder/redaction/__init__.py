"""Removes secrets from texts: those of users, and the keys of this installation."""
