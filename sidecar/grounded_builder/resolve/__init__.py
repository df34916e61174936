"""Resolve the names of a draft against the registry: exactly, or say what is near."""

from grounded_builder.resolve.inventions import Invention, inventions_for
from grounded_builder.resolve.model import Candidate, NameContext, Resolution, Status
from grounded_builder.resolve.name import resolve_name
from grounded_builder.resolve.operation import resolve_operation

__all__ = [
    "Candidate",
    "Invention",
    "NameContext",
    "Resolution",
    "Status",
    "inventions_for",
    "resolve_name",
    "resolve_operation",
]
