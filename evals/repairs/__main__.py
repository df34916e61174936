"""Injects faults with a single repair into real workflows, and prints what repair makes of them.

``python -m evals.repairs [CATALOG]`` with ``--kind NAME`` for one kind, ``--misses FOLDER`` to keep
examples of cases that were not repaired; ``make repairs``.
"""

from __future__ import annotations

import argparse
import json
from itertools import chain, islice
from pathlib import Path
from time import perf_counter

from evals.faults.bench import SHARED
from evals.faults.catalog import Catalog
from evals.faults.injection import read_own_workflows, read_real_workflows, read_scenes
from evals.repairs.kinds import MECHANICAL
from evals.repairs.outcome import (
    Repaired,
    Tally,
    Workshop,
    format_table,
    read_more_own,
    tally_cases,
)
from tests.support.n8n_server import provide_catalog
from tests.support.registries import registry_from

SEED = 5
LEAST = 0.9
_EXAMPLES = 4


def main() -> None:
    """Measures every kind, then prints the table."""
    options = _parse_options()
    begun = perf_counter()
    content = (options.catalog or provide_catalog()).read_bytes()
    workflows = chain(
        read_real_workflows(SHARED) if SHARED.exists() else read_own_workflows(), read_more_own()
    )
    scenes = read_scenes(workflows, Catalog.read(content))
    workshop = Workshop(registry_from(content))
    tallies: list[Tally] = []
    for kind in MECHANICAL:
        if options.kind and kind.name not in options.kind:
            continue
        cases = list(islice(workshop.cases(kind, scenes, options.seed), options.cases))
        tallies.append(tally_cases(kind, cases))
        if options.misses:
            _write_misses(options.misses, cases)
    print(format_table(tallies))
    n = sum(tally.n for tally in tallies)
    repaired = sum(tally.repaired_count for tally in tallies)
    whole = sum(tally.n > 0 and tally.share >= LEAST for tally in tallies)
    print(
        f"\n{n:,} cases, {repaired / max(n, 1):.1%} repaired; "
        f"{whole} of {len(tallies)} kinds in at least 90 % of their cases"
    )
    print(f"{len(scenes):,} workflows, seed {options.seed}, {perf_counter() - begun:.0f} s")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.repairs", description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: of the installed n8n")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cases", type=int, default=40, help="cases per kind")
    parser.add_argument("--kind", action="append", help="only these kinds")
    parser.add_argument(
        "--misses", type=Path, help="a folder for examples of cases that are not repaired"
    )
    return parser.parse_args()


def _write_misses(folder: Path, cases: list[Repaired]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    missed = [case for case in cases if case.ending not in ("restored", "same meaning")]
    missed.sort(key=lambda repaired: repaired.ending != "something else")
    for index, repaired in enumerate(missed[:_EXAMPLES]):
        shown = {
            "kind": repaired.kind.name,
            "ending": repaired.ending,
            "changes": [[c.op, list(c.at), c.value] for c in repaired.fault.changes],
            "corrections": [[d.code, list(d.at), d.message] for d in repaired.after.corrections],
            "findings": [[d.code, list(d.at), d.message] for d in repaired.after.diagnostics],
            "sound": repaired.sound,
            "after": repaired.after.document,
        }
        file = folder / f"{repaired.kind.name}-{index}.json"
        file.write_text(json.dumps(shown, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
