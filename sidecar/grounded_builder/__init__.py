"""Compiles drafts of automation graphs into artifacts that contain only installed tools."""

__version__ = "0.1.0"
