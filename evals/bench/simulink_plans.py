"""Compiles correct and faulty plans of drafters, and counts those judged as expected.

``python -m evals.bench.simulink_plans [--octave]`` reads ``simulink_plans_legal.txt`` and
``simulink_plans_faulty.txt``. The goal of a legal plan is followed by the code of an error that is
expected all the same, that of a faulty plan by the step with the fault, or ``*`` for any step.
``--octave`` runs the scripts against the stand-ins, whose blocks only have the ports of the
library.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.octave import Octave
from tests.support.simulink import simulink_registry
from tests.support.simulink_drafts import Draft, read_drafts

LEGAL = Path(__file__).parent / "simulink_plans_legal.txt"
FAULTY = Path(__file__).parent / "simulink_plans_faulty.txt"


def main() -> None:
    """Prints the results by kind, and each plan that is not judged as expected."""
    registry = simulink_registry()
    legal = [(draft, compile_plan(draft, registry)) for draft in read_drafts(LEGAL)]
    verdicts = Counter(made.verdict for _, made in legal)
    refused = sum(bool(draft.expected) for draft, _ in legal)
    print(f"legal plans: {len(legal)}, {dict(verdicts)}, refused on purpose {refused}")
    for item, made in legal:
        if made.verdict == "wrong" and not item.expected:
            print(f"  wrong: {item.kind}, {item.goal}: {[d.code for d in made.diagnostics]}")
    counts: Counter[str] = Counter()
    for item in read_drafts(FAULTY):
        state = grade_location(item, compile_plan(item, registry))
        counts[state] += 1
        if state != "at the step":
            print(f"  {state}: {item.kind}, {item.goal}")
    print(f"plans with a fault: {counts.total()}, {dict(counts)}")
    if "--octave" in sys.argv:
        _build([made for _, made in legal if made.artifact is not None], registry)


def compile_plan(draft: Draft, registry: Registry) -> Compilation:
    """Compiles the plan of a draft with the default options."""
    return compile_draft(draft.plan, SIMULINK, registry, CompileOptions())


def grade_location(draft: Draft, made: Compilation) -> str:
    """Returns whether the fault of a plan is found at its step, only advised there, or silent."""
    steps = [step["id"] for step in draft.plan["steps"]]
    there = [
        diagnostic
        for diagnostic in made.diagnostics
        if draft.expected == "*" or diagnostic.at[:2] == ("steps", steps.index(draft.expected))
    ]
    kinds = {_kind_of(diagnostic) for diagnostic in there}
    if kinds & {"wrong", "incomplete"}:
        return "at the step"
    return "advised" if "advice" in kinds else "silent"


def _kind_of(findings: Diagnostic) -> str:
    return findings.rule.kind


def _build(made: list[Compilation], registry: Registry) -> None:
    artifacts = [compilation.artifact for compilation in made if compilation.artifact is not None]
    with TemporaryDirectory() as folder:
        reports = Octave(Path(folder), registry).run(artifacts)
    built = sum(report["ok"] for report in reports)
    counts = Counter(error["identifier"] for report in reports for error in report["errors"])
    print(f"built by stand-ins: {built} of {len(artifacts)}; others {dict(counts)}")


if __name__ == "__main__":
    main()
