"""Injects faults into real Simulink models and prints which are found.

``python -m evals.simulink_faults`` measures the first set of kinds, ``--second`` and ``--third``
the other sets. ``--kind NAME`` selects kinds, ``--misses`` prints the findings of each missed
fault.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from evals.simulink_faults.injection import MODELS, SEED, find_cases, read_real_models
from evals.simulink_faults.kinds import KINDS
from evals.simulink_faults.measure import Score, format_table, score_kind
from evals.simulink_faults.second_set import SECOND
from evals.simulink_faults.third_set import THIRD
from grounded_builder.diagnostics import to_pointer


def main() -> None:
    """Measures every kind, then prints the table."""
    options = _parse_options()
    begun = perf_counter()
    models = read_real_models(options.models)
    before: dict[str, frozenset[tuple[str, str]]] = {}
    scores: list[Score] = []
    for kind in SECOND if options.second else THIRD if options.third else KINDS:
        if not options.kind or kind.name in options.kind:
            made = find_cases(kind, models, options.cases, options.seed)
            scores.append(score_kind(kind, made, models, before))
    print(format_table(scores))
    print(f"{len(models)} models, {perf_counter() - begun:.0f} s")
    if options.misses:
        for item in scores:
            for case, new in item.missed:
                results = [f"{d.code} at {to_pointer(d.at)}: {d.message}" for d in new]
                places = [to_pointer(place) for place in case.places]
                print(f"\n{case.kind.name} in {case.name} at {places}\n  findings: {results}")


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.simulink_faults", description=__doc__)
    parser.add_argument("models", type=Path, nargs="?", default=MODELS, help="a folder of models")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cases", type=int, default=40, help="cases per kind")
    parser.add_argument("--second", action="store_true", help="the second set of kinds")
    parser.add_argument("--third", action="store_true", help="the third set of kinds")
    parser.add_argument("--kind", action="append", help="only these kinds")
    parser.add_argument("--misses", action="store_true", help="print the missed faults")
    return parser.parse_args()


if __name__ == "__main__":
    main()
