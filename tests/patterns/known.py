"""The patterns without a fault that earlier runs of any checkout saw, kept in the shared cache.

A pattern is not judged again until it or its judges change.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import sys
from functools import cache
from pathlib import Path

from grounded_builder.catalog import text_cleaning
from runtime import paths
from tests.patterns import measure
from tests.patterns.collect import Collected
from tests.support import growth

_CACHE = paths.cache() / "patterns"
"""The keys of patterns without a fault, a file for each version of what judges them."""
_CACHED_VERSIONS = 4


def read_known() -> set[str]:
    """Returns the keys of the patterns without a fault."""
    file = _CACHE / f"{_judges()}.json"
    return set(json.loads(file.read_text())) if file.exists() else set()


def add_known(keys: set[str]) -> None:
    """Adds to what other runs wrote meanwhile, and removes the files of the oldest judges."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        partial = _CACHE / "partial"
        partial.write_text(json.dumps(sorted(read_known() | keys)))
        partial.replace(_CACHE / f"{_judges()}.json")
        files = sorted(_CACHE.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in files[:-_CACHED_VERSIONS]:
            old.unlink()


def key_of(pattern: Collected) -> str:
    """Returns the hash of all that decides about a pattern: its judges, its text and its uses."""
    module, _, name = pattern.where.rpartition(":")
    where = module if name.isdigit() else pattern.where  # a line moves with its neighbours
    facts = (where, pattern.pattern.pattern, pattern.pattern.flags, sorted(pattern.uses))
    return hashlib.sha256(f"{_judges()}{facts!r}".encode()).hexdigest()


@cache
def _judges() -> str:
    """Returns the hash of what judges a pattern: a change of it makes every pattern unknown."""
    folder = Path(measure.__file__).parent
    sources = (*sorted(folder.glob("*.py")), Path(growth.__file__), Path(text_cleaning.__file__))
    text = "".join([sys.version, *(path.read_text("utf-8") for path in sources)])
    return hashlib.sha256(f"{text}{sorted(measure.BOUNDED.items())}".encode()).hexdigest()
