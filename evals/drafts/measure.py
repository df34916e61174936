"""Measures how far n8n takes drafts before and after repair, and what repair restores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from evals.drafts.corpus import Draft, Twin
from evals.drafts.n8n_answers import Answer, Answers
from evals.drafts.repaired_workflow import Mended, repair_and_build
from evals.drafts.stand_ins import with_credentials, with_values
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N

Edge = tuple[str, str, int, str, str, int]

# n8n's words for a refusal, and the reason that they give; the first that is found counts.
_REASONS = (
    (r"Unrecognized node type", "a type that is not installed"),
    (r"is not available in version", "a version that is not installed"),
    (r"no trigger node", "nothing starts it"),
    (r"required parameters?:", "a required value is absent"),
    (r"redential", "a credential is not chosen"),
    (r"does not reference an existing node", "a connection leads to no node"),
    (r"\.name \(invalid_type\)|\.type \(invalid_type\)", "a node has no name or type"),
)
# Reasons that nobody but the user of a workflow can take away.
USERS_OWN = frozenset({_REASONS[2][1], _REASONS[3][1], _REASONS[4][1]})


@dataclass(frozen=True, slots=True)
class Outcome:
    """One draft: our verdict after repair, and n8n's answers.

    ``before`` is to the draft as written, ``after`` to the repaired one, ``filled`` to that
    with stand-ins for what only the user can supply; credentials are stood in for in all.
    """

    id: str
    verdict: str
    before: Answer
    after: Answer
    filled: Answer


def outcome(draft: Draft, registry: Registry, answers: Answers) -> Outcome | None:
    """Ask n8n about one draft; None where the draft holds no workflow at all."""
    done = repair_and_build(draft.content, registry)
    raw = repair_and_build(draft.content, registry, repair=False)
    if done.workflow is None or raw.workflow is None:
        return None
    after = answers.of(with_credentials(done.workflow, done.diagnostics))
    filled = after
    if not after.published:
        filled = answers.of(with_credentials(*_fill_values(done)))
    before = answers.of(with_credentials(raw.workflow, raw.diagnostics))
    return Outcome(draft.id, done.verdict, before, after, filled)


def _fill_values(done: Mended) -> tuple[dict[str, Any], Any]:
    return with_values(done.workflow or {}, done.diagnostics), done.diagnostics


def reason(answer: Answer) -> str:
    """Why n8n refuses, in few words."""
    for pattern, item in _REASONS:
        if re.search(pattern, answer.message):
            return item
    return "the document is not in shape" if not answer.created else "another reason"


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of the corrupted types of one twin or many, and of intact ones.

    ``edges`` of the clean twins, those of them ``preserved`` in the corrupted ones and ``mended``
    after repair.
    """

    types: Counter[str] = field(default_factory=Counter)
    edges: int = 0
    preserved: int = 0
    mended: int = 0
    invented: int = 0


def score_twins(twins: Iterable[Twin], registry: Registry, *, notes: bool = True) -> Restored:
    """Repair the corrupted twins and hold them against the clean ones; without notes if asked."""
    total = Restored()
    for twin in twins:
        corrupted = twin.corrupted if notes else _without_notes(twin.corrupted)
        done = repair_and_build(corrupted, registry).workflow or {"nodes": [], "connections": {}}
        types = _types(corrupted, done, twin.clean, registry)
        clean, before, after = edges(twin.clean), edges(corrupted), edges(done)
        total = replace(
            total,
            types=total.types + types,
            edges=total.edges + len(clean),
            preserved=total.preserved + len(clean & before),
            mended=total.mended + len(clean & after),
            invented=total.invented + len(after - before - clean),
        )
    return total


def _types(
    corrupted: dict[str, Any], done: Any, clean: dict[str, Any], registry: Registry
) -> Counter[str]:
    """The fate of each node's type: restored, left, wrongly restored, changed though intact."""
    wanted = {node.get("name"): node.get("type") for node in clean["nodes"]}
    fates: Counter[str] = Counter()
    for before, after in zip(corrupted["nodes"], done["nodes"], strict=True):
        right = wanted.get(before.get("name"))
        if right is None:
            continue
        if before.get("type") == right:
            fates["intact, changed"] += after.get("type") != right and right in registry.tools
        elif after.get("type") == right:
            fates["restored"] += 1
        elif after.get("type") == before.get("type"):
            fates["left" if right in registry.tools else "left, not installed"] += 1
        else:
            fates["wrong"] += 1
    return +fates


def edges(workflow: Any) -> set[Edge]:
    """The edges between nodes that are there; ids are read as the names that they stand for."""
    graph = N8N.reading.read(workflow).graph
    if graph is None:
        return set()
    names = {node.name for node in graph.nodes}
    return {
        (e.source, e.source_kind, e.source_index, e.target, e.target_kind, e.target_index)
        for e in graph.edges
        if e.source in names and e.target in names
    }


def _without_notes(workflow: dict[str, Any]) -> dict[str, Any]:
    nodes = [{k: v for k, v in node.items() if k != "notes"} for node in workflow["nodes"]]
    return {**workflow, "nodes": nodes}
