"""Resolve the names of a draft against the registry: exactly, or say what is near."""

from grounded_builder.resolve.known_inventions import Invention, inventions_for
from grounded_builder.resolve.operation import resolve_operation
from grounded_builder.resolve.resolver import resolve_name

__all__ = [
    "Invention",
    "inventions_for",
    "resolve_name",
    "resolve_operation",
]
