"""Resolves the names of blocks in a draft."""

from grounded_builder.domains.simulink.resolve.resolver import resolve

__all__ = ["resolve"]
