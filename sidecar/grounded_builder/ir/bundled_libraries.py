"""Files beside a document: what they add to the tools that it may name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry

ExtendRegistry = Callable[[Any, Registry], Registry]


@dataclass(frozen=True, slots=True)
class BundledLibraries:
    """What files that came with a document add to a registry, and which it names and lacks yet."""

    widen: ExtendRegistry
    missing: Callable[[Any, Registry], tuple[str, ...]]
