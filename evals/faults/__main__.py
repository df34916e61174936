"""Injects faults into real workflows and prints which are found: ``make faults``.

``python -m evals.faults [CATALOG]`` measures all kinds. ``--kind NAME`` selects kinds, ``--misses
FOLDER`` writes examples of the missed faults to a folder.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path
from time import perf_counter

from evals.faults.bench import SEED, SHARED
from evals.faults.catalog import Catalog
from evals.faults.injection import find_cases, read_own_workflows, read_real_workflows, read_scenes
from evals.faults.judge import Finding, judge_over
from evals.faults.kinds import KINDS
from evals.faults.outcome import Outcome, Score, count_verdicts, format_table, judge_cases
from tests.support.n8n_server import provide_catalog

_EXAMPLES = 3


def main() -> None:
    """Measures every kind, then prints the table."""
    options = _parse_options()
    begun = perf_counter()
    content = (options.catalog or provide_catalog()).read_bytes()
    catalog = Catalog.read(content)
    judge = judge_over(content)
    workflows = read_real_workflows(SHARED) if SHARED.exists() else read_own_workflows()
    scenes = read_scenes(workflows, catalog)
    before: dict[int, list[Finding]] = {}
    scores: list[Score] = []
    for kind in KINDS:
        if options.kind and kind.name not in options.kind:
            continue
        results = judge_cases(find_cases(kind, scenes, options.seed), judge, before)
        judged = list(islice(results, options.cases))
        scores.append(count_verdicts(kind, judged))
        if options.misses:
            _write_misses(options.misses, judged)
    print(format_table(scores))
    spent = perf_counter() - begun
    print(f"\n{sum(item.n for item in scores):,} cases, {len(scenes):,} workflows, {spent:.0f} s")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.faults", description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: of the installed n8n")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cases", type=int, default=40, help="cases per kind")
    parser.add_argument("--kind", action="append", help="only these kinds")
    parser.add_argument("--misses", type=Path, help="a folder for examples of missed faults")
    return parser.parse_args()


def _write_misses(folder: Path, judged: list[Outcome]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    missed = [outcome for outcome in judged if outcome.verdict != "error at place"]
    if missed and not missed[0].case.kind.hard:
        missed = [outcome for outcome in missed if outcome.verdict == "silent"]
    for index, outcome in enumerate(missed[:_EXAMPLES]):
        shown = {
            "kind": outcome.case.kind.name,
            "verdict": outcome.verdict,
            "changes": [[c.op, list(c.at), c.value] for c in outcome.case.fault.changes],
            "place": [list(route) for route in outcome.case.fault.place.routes],
            "nodes": list(outcome.case.fault.place.nodes),
            "findings": [[s.code, s.gravity, list(s.at), s.message] for s in outcome.findings],
            "workflow": outcome.case.make_document(),
        }
        file = folder / f"{outcome.case.kind.name}-{index}.json"
        file.write_text(json.dumps(shown, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
