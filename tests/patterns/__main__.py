"""List the regular expressions that take more than their time; ``python -m tests.patterns``."""

from __future__ import annotations

import sys

from tests.patterns.collect import patterns
from tests.patterns.measure import faults


def main() -> int:
    """Returns the status for the shell: 1 where a pattern takes too long.

    An argument is the beginning of the names of the patterns to be measured.
    """
    wanted = tuple(sys.argv[1:]) or ("",)
    every = [pattern for pattern in patterns() if pattern.where.startswith(wanted)]
    bad = 0
    for pattern in every:
        for fault in faults(pattern):
            bad += 1
            print(f"{pattern.where}: {fault}", flush=True)
    print(f"{len(every)} regular expressions, {bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
