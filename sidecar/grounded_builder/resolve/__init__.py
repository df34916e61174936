"""Resolves the names in a draft to tools of the registry: exactly, or with candidates."""

from grounded_builder.resolve.known_inventions import Invention, predict_inventions
from grounded_builder.resolve.operation import resolve_operation
from grounded_builder.resolve.resolver import resolve_name

__all__ = [
    "Invention",
    "predict_inventions",
    "resolve_name",
    "resolve_operation",
]
