"""Injects faults into real Simulink models and prints what is found.

``python -m evals.simulink_faults`` with ``--second`` for the second set of kinds, ``--third`` for
the third, ``--kind NAME`` for one kind, ``--misses`` to print what was said of all that was missed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from evals.simulink_faults.injection import MODELS, SEED, cases, real_models
from evals.simulink_faults.kinds import KINDS
from evals.simulink_faults.measure import Score, score, table
from evals.simulink_faults.second_set import SECOND
from evals.simulink_faults.third_set import THIRD
from grounded_builder.diagnostics import to_pointer


def main() -> None:
    """Measure every kind, then print the table."""
    options = _options()
    begun = perf_counter()
    models = real_models(options.models)
    before: dict[str, frozenset[tuple[str, str]]] = {}
    scores: list[Score] = []
    for kind in SECOND if options.second else THIRD if options.third else KINDS:
        if not options.kind or kind.name in options.kind:
            made = cases(kind, models, options.cases, options.seed)
            scores.append(score(kind, made, models, before))
    print(table(scores))
    print(f"{len(models)} models, {perf_counter() - begun:.0f} s")
    if options.misses:
        for item in scores:
            for case, new in item.missed:
                results = [f"{d.code} at {to_pointer(d.at)}: {d.message}" for d in new]
                places = [to_pointer(place) for place in case.places]
                print(f"\n{case.kind.name} in {case.name} at {places}\n  said: {results}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.simulink_faults", description=__doc__)
    parser.add_argument("models", type=Path, nargs="?", default=MODELS, help="a folder of models")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--cases", type=int, default=40, help="cases a kind")
    parser.add_argument("--second", action="store_true", help="the second set of kinds")
    parser.add_argument("--third", action="store_true", help="the third set of kinds")
    parser.add_argument("--kind", action="append", help="only these kinds")
    parser.add_argument("--misses", action="store_true", help="print what was missed")
    return parser.parse_args()


if __name__ == "__main__":
    main()
