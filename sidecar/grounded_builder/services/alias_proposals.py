"""Proposes what unresolved names mean: the tool that later drafts used instead, or no tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.name_decisions import decision_key
from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve import resolve_name
from grounded_builder.storage.name_stats import NameCorrection, NameCount, NameStatsStore

LEAST = 2
OFTEN = 5
_READ = 1_000
_SHARE = 2 / 3
_BESIDE = 3


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed decision; ``tool`` is None where no such tool exists.

    ``candidates`` are the most likely tools by the words of the name; ``evidence`` is JSON.
    """

    name: str
    tool: str | None
    candidates: tuple[str, ...]
    evidence: Mapping[str, Any] = field(default_factory=dict)


def proposals(
    book: NameStatsStore,
    decided: Iterable[str],
    registry: Registry,
    *,
    least: int = LEAST,
    often: int = OFTEN,
) -> tuple[Proposal, ...]:
    """Returns proposals for the names that occur often, resolve to nothing and are not in
    ``decided``.

    A name that later drafts of at least ``least`` runs replaced with one tool is proposed as an
    alias of that tool. A name that stayed unknown ``often`` times without a replacement is proposed
    as no tool.
    """
    known = {decision_key(name) for name in decided}
    written = _group_by_key(book.corrections())
    met = _group_by_key(count for count in book.counts(_READ) if count.kind != "corrected")
    candidates = (
        _make_proposal(written.get(key, []), met.get(key, []), registry, least, often)
        for key in dict.fromkeys([*written, *met])
        if key not in known
    )
    return tuple(proposal for proposal in candidates if proposal is not None)


def evidence(met: Iterable[NameCount], written: Iterable[NameCorrection]) -> dict[str, Any]:
    """Returns the evidence for a decision as JSON: the count of the name, its neighbours and the
    runs.
    """
    counts = list(met)
    return {
        "met": sum(count.count for count in counts),
        "beside": [list(ids) for count in counts for ids in count.samples][:_BESIDE],
        "corrections": [
            {
                "tool": name_correction.tool,
                "count": name_correction.count,
                "runs": list(name_correction.runs),
            }
            for name_correction in written
        ],
    }


def _make_proposal(
    written: list[NameCorrection],
    met: list[NameCount],
    registry: Registry,
    least: int,
    often: int,
) -> Proposal | None:
    name = (written[0] if written else met[0]).name
    resolution = resolve_name(name, registry, NameContext())
    if resolution.status == "resolved":
        return None
    facts = evidence(met, written)
    near = tuple(dict.fromkeys(candidate.tool for candidate in resolution.candidates))
    if written:
        best, total = written[0], sum(name_correction.count for name_correction in written)
        agreed = best.count >= least and best.count >= _SHARE * total
        return (
            Proposal(name, best.tool, near, facts)
            if agreed and _is_installed(best, registry)
            else None
        )
    unknown = sum(name_count.count for name_count in met if name_count.kind == "unknown")
    return Proposal(name, None, near, facts) if unknown >= often else None


def _is_installed(name_correction: NameCorrection, registry: Registry) -> bool:
    row = registry.tools.get(name_correction.tool)
    return row is not None and row.availability == "installed"


def _group_by_key(occurrences: Iterable[Any]) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = {}
    for occurrence in occurrences:
        grouped.setdefault(decision_key(occurrence.name), []).append(occurrence)
    return grouped
