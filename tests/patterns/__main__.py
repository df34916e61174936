"""List the regular expressions that take more than their time; ``python -m tests.patterns``."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from grounded_builder.catalog import text_cleaning
from tests.patterns import measure
from tests.patterns.collect import Collected, patterns
from tests.patterns.measure import faults
from tests.support import growth

_STATE = Path(__file__).resolve().parents[2] / ".state" / "patterns.json"
"""The keys of patterns without a fault: they are not measured again until one of them changes."""


def main() -> int:
    """Returns the status for the shell: 1 where a pattern takes too long.

    An argument is the beginning of the names of the patterns to be measured, known ones as well.
    """
    wanted = tuple(sys.argv[1:]) or ("",)
    every = [pattern for pattern in patterns() if pattern.where.startswith(wanted)]
    known = set() if sys.argv[1:] or not _STATE.exists() else set(json.loads(_STATE.read_text()))
    judges, bad, good = _judges(), 0, set[str]()
    for pattern in every:
        key = _key(pattern, judges)
        causes = [] if key in known else faults(pattern)
        for fault in causes:
            bad += 1
            print(f"{pattern.where}: {fault}", flush=True)
        if not causes:
            good.add(key)
    if not sys.argv[1:]:
        _STATE.parent.mkdir(exist_ok=True)
        _STATE.write_text(json.dumps(sorted(good)))
    print(f"{len(every)} regular expressions, {len(good & known)} known, {bad} faults")
    return 1 if bad else 0


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
