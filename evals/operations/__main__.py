"""Counts the results of every operation in every writing: chosen, reported or silent.

``python -m evals.operations [--list]`` reads the catalog of the installed n8n.
"""

from __future__ import annotations

import argparse
from collections import Counter

from evals.operations.writings import classify_case, list_cases
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from


def main() -> int:
    """Prints the counts by writing; ``--list`` also prints every silent case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true")
    listing = parser.parse_args().list
    registry = registry_from(provide_catalog().read_bytes())
    by_writing: Counter[tuple[str, str]] = Counter()
    total: Counter[str] = Counter()
    for case in list_cases(registry):
        result = classify_case(case, registry)
        by_writing[case.writing, result] += 1
        total[result] += 1
        if listing and result == "silent":
            print(f"silent: {case.tool} {dict(case.params)} as {case.place} {case.text!r}")
    for writing in dict.fromkeys(writing for writing, _ in by_writing):
        counts = {kind: by_writing[writing, kind] for kind in ("chosen", "reported", "silent")}
        print(f"{writing}: {counts}")
    print(f"all: {dict(total)}")
    return 1 if total["silent"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
