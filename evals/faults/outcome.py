"""Classifies how an injected fault is reported: at its place, elsewhere, as a remark, or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evals.faults.fault import Place, Route
from evals.faults.injection import Case
from evals.faults.judge import Finding, Judge
from evals.faults.kinds import Kind

Verdict = Literal["error at place", "error elsewhere", "remark at place", "silent"]
VERDICTS: tuple[Verdict, ...] = ("error at place", "error elsewhere", "remark at place", "silent")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case with its verdict and all new findings."""

    case: Case
    verdict: Verdict
    findings: list[Finding]


@dataclass
class Score:
    """The number of outcomes of one kind by verdict."""

    kind: Kind
    counts: Counter[Verdict] = field(default_factory=Counter)

    @property
    def n(self) -> int:
        return self.counts.total()


def judge_cases(
    cases: Iterable[Case], judge: Judge, before: dict[int, list[Finding]]
) -> Iterator[Outcome]:
    """Judges cases; omits those whose place had an error before the injection.

    ``before`` caches the findings on the original workflows by the identity of the scene.
    """
    for case in cases:
        key = id(case.scene)
        if key not in before:
            before[key] = judge(case.scene.document)
        old, document = before[key], case.make_document()
        if any(
            item.gravity == "wrong"
            for item in _findings_at(case.fault.place, old, case.scene.document)
        ):
            continue
        known = _sign_findings(old, case.scene.document)
        new = judge(document)
        fresh = [
            item
            for item, signature in zip(new, _sign_findings(new, document), strict=True)
            if signature not in known
        ]
        yield Outcome(case, _grade(fresh, _findings_at(case.fault.place, fresh, document)), fresh)


def count_verdicts(kind: Kind, judged: Iterable[Outcome]) -> Score:
    """Returns the score of the judged cases of a kind."""
    counted = Score(kind)
    counted.counts.update(outcome.verdict for outcome in judged)
    return counted


def format_table(scores: Sequence[Score]) -> str:
    """Returns a Markdown table of hard kinds, then soft ones, each with a total."""
    lines = ["| kind | n | error at place | error elsewhere | remark at place | silent |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for hard, title in ((True, "**all hard**"), (False, "**all soft**")):
        chosen = [item for item in scores if item.kind.hard is hard]
        total: Counter[Verdict] = Counter()
        for item in chosen:
            total.update(item.counts)
            lines.append(_format_row(item.kind.name, item.counts))
        lines.append(_format_row(title, total))
    return "\n".join(lines)


def _format_row(title: str, counts: Counter[Verdict]) -> str:
    return f"| {title} | {counts.total()} | " + " | ".join(str(counts[v]) for v in VERDICTS) + " |"


def _grade(fresh: list[Finding], there: list[Finding]) -> Verdict:
    if any(item.gravity == "wrong" for item in there):
        return "error at place"
    if any(item.gravity == "wrong" for item in fresh):
        return "error elsewhere"
    return "remark at place" if there else "silent"


def _findings_at(place: Place, findings: Iterable[Finding], document: Any) -> list[Finding]:
    names = _routes_by_name(document)
    return [item for item in findings if place.holds(item.at, item.node, item.token, names)]


def _routes_by_name(document: Any) -> dict[str, Route]:
    return {
        node["name"]: ("nodes", index)
        for index, node in enumerate(document["nodes"])
        if isinstance(node, dict) and isinstance(node.get("name"), str)
    }


def _sign_findings(findings: list[Finding], document: Any) -> list[tuple[Any, ...]]:
    """Returns keys that identify the same diagnostic after nodes have moved, by node name."""
    names = {route: name for name, route in _routes_by_name(document).items()}
    return [
        (item.code, names.get(item.at[:2], item.at[:2]), item.at[2:], item.message)
        for item in findings
    ]
