"""Checks models with injected faults, and counts those found at their place, by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from evals.simulink_faults.fault import Kind
from evals.simulink_faults.injection import Case
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry


@dataclass(slots=True)
class Score:
    """The results of a kind; ``missed`` holds the cases that were not found at the place."""

    kind: Kind
    outcomes: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[Case, tuple[Diagnostic, ...]]] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Returns the number of cases."""
        return sum(self.outcomes.values())


def findings_of(model: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Returns the findings of the compiler on a model, without notes."""
    compilation = compile_draft(model, SIMULINK, simulink_registry(), CompileOptions())
    return tuple(d for d in compilation.diagnostics if d.rule.severity != "info")


def score_kind(
    kind: Kind,
    cases: Iterable[Case],
    models: Mapping[str, dict[str, Any]],
    before: dict[str, frozenset[tuple[str, str]]],
) -> Score:
    """Judges every case; ``before`` caches the findings on the original models."""
    result = Score(kind)
    for case in cases:
        if case.name not in before:
            before[case.name] = frozenset(
                (d.code, d.message) for d in findings_of(models[case.name])
            )
        new = tuple(
            d for d in findings_of(case.model) if (d.code, d.message) not in before[case.name]
        )
        outcome = _classify(case, new)
        result.outcomes[outcome] += 1
        if outcome not in ("found", "left open"):
            result.missed.append((case, new))
    return result


def _classify(case: Case, new: tuple[Diagnostic, ...]) -> str:
    """Returns ``found`` (at the place), ``elsewhere`` or ``silent``; for open kinds ``left open``
    or ``false alarm``.
    """
    wrong = [d for d in new if d.rule.kind == "wrong"]
    if not case.kind.decidable:
        return "false alarm" if wrong else "left open"
    results = wrong if case.kind.asked == "wrong" else new
    if any(_is_near(case, d) for d in results):
        return "found"
    return "elsewhere" if new else "silent"


def _is_near(case: Case, diagnostic: Diagnostic) -> bool:
    """Checks whether a finding, or a place related to it, is at the fault."""
    routes = (diagnostic.at, *(place.at for place in diagnostic.related))
    return any(route[: len(place)] == place for place in case.places for route in routes)


def format_table(scores: Iterable[Score]) -> str:
    """Returns the scores as Markdown, with the share of decidable faults that were found."""
    rows = [
        "| kind | asked | cases | found at the place | elsewhere | silent |",
        "|---|---|---|---|---|---|",
    ]
    cases = result = 0
    for row in scores:
        right = row.outcomes["found"] + row.outcomes["left open"]
        wrong = row.outcomes["elsewhere"] + row.outcomes["false alarm"]
        silent = row.outcomes["silent"]
        rows.append(
            f"| {row.kind.name} | {row.kind.asked} | {row.count} | {right} | {wrong} | {silent} |"
        )
        if row.kind.decidable:
            cases, result = cases + row.count, result + row.outcomes["found"]
    share = f"{100 * result / cases:.1f} %" if cases else "-"
    rows.append(f"\n{result} of {cases} decidable faults found at the place: {share}")
    return "\n".join(rows)
