"""Classifies the result of a fault: an error at its place or elsewhere, a note, or silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from evals.faults.fault import Place, Route
from evals.faults.injection import Case
from evals.faults.judge import Judge, Said
from evals.faults.kinds import Kind

Verdict = Literal["error at place", "error elsewhere", "remark at place", "silent"]
VERDICTS: tuple[Verdict, ...] = ("error at place", "error elsewhere", "remark at place", "silent")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case with its verdict and everything that was newly said."""

    case: Case
    verdict: Verdict
    findings: list[Said]


@dataclass
class Score:
    """The verdicts of one kind."""

    kind: Kind
    counts: Counter[Verdict] = field(default_factory=Counter)

    @property
    def n(self) -> int:
        return self.counts.total()


def outcomes(
    cases: Iterable[Case], judge: Judge, before: dict[int, list[Said]]
) -> Iterator[Outcome]:
    """Judge cases; those whose place was at fault before the injection do not count.

    ``before`` keeps what is said of the workflows as they are, by the identity of the scene.
    """
    for case in cases:
        key = id(case.scene)
        if key not in before:
            before[key] = judge(case.scene.document)
        old, document = before[key], case.make_document()
        if any(item.gravity == "wrong" for item in _at(case.fault.place, old, case.scene.document)):
            continue
        known = _signatures(old, case.scene.document)
        new = judge(document)
        fresh = [
            item
            for item, signature in zip(new, _signatures(new, document), strict=True)
            if signature not in known
        ]
        yield Outcome(case, _verdict(fresh, _at(case.fault.place, fresh, document)), fresh)


def score(kind: Kind, judged: Iterable[Outcome]) -> Score:
    counted = Score(kind)
    counted.counts.update(outcome.verdict for outcome in judged)
    return counted


def table(scores: Sequence[Score]) -> str:
    """A Markdown table: hard kinds, then soft ones, each with its sum."""
    lines = ["| kind | n | error at place | error elsewhere | remark at place | silent |"]
    lines.append("|---|---:|---:|---:|---:|---:|")
    for hard, title in ((True, "**all hard**"), (False, "**all soft**")):
        chosen = [item for item in scores if item.kind.hard is hard]
        total: Counter[Verdict] = Counter()
        for item in chosen:
            total.update(item.counts)
            lines.append(_row(item.kind.name, item.counts))
        lines.append(_row(title, total))
    return "\n".join(lines)


def _row(title: str, counts: Counter[Verdict]) -> str:
    return f"| {title} | {counts.total()} | " + " | ".join(str(counts[v]) for v in VERDICTS) + " |"


def _verdict(fresh: list[Said], there: list[Said]) -> Verdict:
    if any(item.gravity == "wrong" for item in there):
        return "error at place"
    if any(item.gravity == "wrong" for item in fresh):
        return "error elsewhere"
    return "remark at place" if there else "silent"


def _at(place: Place, findings: Iterable[Said], document: Any) -> list[Said]:
    names = _routes(document)
    return [item for item in findings if place.holds(item.at, item.node, item.token, names)]


def _routes(document: Any) -> dict[str, Route]:
    return {
        node["name"]: ("nodes", index)
        for index, node in enumerate(document["nodes"])
        if isinstance(node, dict) and isinstance(node.get("name"), str)
    }


def _signatures(findings: list[Said], document: Any) -> list[tuple[Any, ...]]:
    """What makes two diagnostics the same although nodes have moved: names for indices."""
    names = {route: name for name, route in _routes(document).items()}
    return [
        (item.code, names.get(item.at[:2], item.at[:2]), item.at[2:], item.message)
        for item in findings
    ]
