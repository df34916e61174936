"""Defines how a domain treats libraries sent with a document: adds their tools, lists missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry

ExtendRegistry = Callable[[Any, Registry], Registry]


@dataclass(frozen=True, slots=True)
class BundledLibraries:
    """The tools that files of a document add to a registry, and the libraries still missing."""

    widen: ExtendRegistry
    missing: Callable[[Any, Registry], tuple[str, ...]]
