"""Keep Python's collector of circular garbage off what stays."""

from __future__ import annotations

import gc

# A compile leaves no circles behind, and what it compiles of the catalog stays: by default half of
# a second goes, now and then, into looking at all of that again.
_NEW_OBJECTS = 50_000
_YOUNG_ROUNDS, _OLD_ROUNDS = 20, 100


def freeze_gc() -> None:
    """Sets what is loaded aside, and look rarely at what comes after it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, _YOUNG_ROUNDS, _OLD_ROUNDS)
