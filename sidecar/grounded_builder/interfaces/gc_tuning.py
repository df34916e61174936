"""Freezes loaded objects for Python's garbage collector, and makes it collect rarely."""

from __future__ import annotations

import gc

# A compile leaves no cycles behind, and compiled catalog entries stay: by default half of
# a second is spent now and then on scanning all of them again.
_NEW_OBJECTS = 50_000
_YOUNG_ROUNDS, _OLD_ROUNDS = 20, 100


def freeze_gc() -> None:
    """Excludes loaded objects from garbage collection, and collects rarely afterwards."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNG_ROUNDS, _OLD_ROUNDS)
