"""List the regular expressions that take more than their time; ``python -m tests.patterns``."""

from __future__ import annotations

import sys

from tests.patterns.collect import patterns
from tests.patterns.known import add_known, key_of, read_known
from tests.patterns.measure import faults


def main() -> int:
    """Returns the status for the shell: 1 where a pattern takes too long.

    An argument is the beginning of the names of the patterns to be measured, known ones as well.
    """
    wanted = tuple(sys.argv[1:]) or ("",)
    every = [pattern for pattern in patterns() if pattern.where.startswith(wanted)]
    bad, good = 0, set[str]()
    known = set() if sys.argv[1:] else read_known()
    for pattern in every:
        key = key_of(pattern)
        causes = [] if key in known else faults(pattern)
        for fault in causes:
            bad += 1
            print(f"{pattern.where}: {fault}", flush=True)
        if not causes:
            good.add(key)
    if not sys.argv[1:]:
        add_known(good)
    print(f"{len(every)} regular expressions, {len(good & known)} known, {bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
