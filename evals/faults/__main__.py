"""Injects faults into real workflows and prints what is found: ``make faults``.

``python -m evals.faults [CATALOG]`` with ``--kind NAME`` for one kind, ``--misses FOLDER`` to keep
an example of everything that was missed.
"""

from __future__ import annotations

import argparse
import json
from itertools import islice
from pathlib import Path
from time import perf_counter

from evals.faults.bench import SEED, SHARED
from evals.faults.catalog import Catalog
from evals.faults.injection import cases, own_workflows, real_workflows, scenes_of
from evals.faults.judge import Said, judge_over
from evals.faults.kinds import KINDS
from evals.faults.outcome import Outcome, Score, outcomes, score, table
from tests.support.n8n_server import kept_catalog

_EXAMPLES = 3


def main() -> None:
    """Measure every kind, then print the table."""
    options = _options()
    begun = perf_counter()
    content = (options.catalog or kept_catalog()).read_bytes()
    catalog = Catalog.read(content)
    judge = judge_over(content)
    workflows = real_workflows(SHARED) if SHARED.exists() else own_workflows()
    scenes = scenes_of(workflows, catalog)
    before: dict[int, list[Said]] = {}
    scores: list[Score] = []
    for kind in KINDS:
        if options.kind and kind.name not in options.kind:
            continue
        results = outcomes(cases(kind, scenes, options.seed), judge, before)
        judged = list(islice(results, options.cases))
        scores.append(score(kind, judged))
        if options.misses:
            _keep(options.misses, judged)
    print(table(scores))
    spent = perf_counter() - begun
    print(f"\n{sum(item.n for item in scores):,} cases, {len(scenes):,} workflows, {spent:.0f} s")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.faults", description=__doc__)
    parser.add_argument("catalog", type=Path, nargs="?", help="default: of the installed n8n")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cases", type=int, default=40, help="cases a kind")
    parser.add_argument("--kind", action="append", help="only these kinds")
    parser.add_argument("--misses", type=Path, help="a folder for examples of what was missed")
    return parser.parse_args()


def _keep(folder: Path, judged: list[Outcome]) -> None:
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
