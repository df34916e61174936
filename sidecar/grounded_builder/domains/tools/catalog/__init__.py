"""Compiles tool definitions for the checks."""
