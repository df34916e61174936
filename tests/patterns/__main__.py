"""List the regular expressions that take more than their time; ``python -m tests.patterns``."""

from __future__ import annotations

import fcntl
import hashlib
import json
import sys
from pathlib import Path

from grounded_builder.catalog import text_cleaning
from runtime import paths
from tests.patterns import measure
from tests.patterns.collect import Collected, patterns
from tests.patterns.measure import faults
from tests.support import growth

_CACHE = paths.cache() / "patterns"
"""The keys of patterns without a fault, a file for each version of what judges them.

A pattern is not measured again, in any checkout, until it or its judges change.
"""
_CACHED_VERSIONS = 4


def main() -> int:
    """Returns the status for the shell: 1 where a pattern takes too long.

    An argument is the beginning of the names of the patterns to be measured, known ones as well.
    """
    wanted = tuple(sys.argv[1:]) or ("",)
    every = [pattern for pattern in patterns() if pattern.where.startswith(wanted)]
    judges, bad, good = _judges(), 0, set[str]()
    known = set() if sys.argv[1:] else _read_known(judges)
    for pattern in every:
        key = _key(pattern, judges)
        causes = [] if key in known else faults(pattern)
        for fault in causes:
            bad += 1
            print(f"{pattern.where}: {fault}", flush=True)
        if not causes:
            good.add(key)
    if not sys.argv[1:]:
        _write_known(judges, good)
    print(f"{len(every)} regular expressions, {len(good & known)} known, {bad} faults")
    return 1 if bad else 0


def _read_known(judges: str) -> set[str]:
    file = _CACHE / f"{judges}.json"
    return set(json.loads(file.read_text())) if file.exists() else set()


def _write_known(judges: str, good: set[str]) -> None:
    """Adds to what other runs wrote meanwhile, and removes the files of the oldest judges."""
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        partial = _CACHE / "partial"
        partial.write_text(json.dumps(sorted(_read_known(judges) | good)))
        partial.replace(_CACHE / f"{judges}.json")
        files = sorted(_CACHE.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in files[:-_CACHED_VERSIONS]:
            old.unlink()


def _judges() -> str:
    """Returns the hash of what judges a pattern: a change of it makes every pattern unknown."""
    folder = Path(measure.__file__).parent
    sources = (*sorted(folder.glob("*.py")), Path(growth.__file__), Path(text_cleaning.__file__))
    text = "".join([sys.version, *(path.read_text("utf-8") for path in sources)])
    return hashlib.sha256(f"{text}{sorted(measure.BOUNDED.items())}".encode()).hexdigest()


def _key(pattern: Collected, judges: str) -> str:
    module, _, name = pattern.where.rpartition(":")
    where = module if name.isdigit() else pattern.where  # a line moves with its neighbours
    facts = (where, pattern.pattern.pattern, pattern.pattern.flags, sorted(pattern.uses))
    return hashlib.sha256(f"{judges}{facts!r}".encode()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
