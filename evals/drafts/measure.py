"""Measures whether n8n accepts drafts before and after repair, and what repair restores."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from evals.drafts.corpus import Draft, Twin
from evals.drafts.n8n_answers import Answer, Answers
from evals.drafts.repaired_workflow import RepairedDraft, repair_and_build
from evals.drafts.stand_ins import with_credentials, with_values
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N

Edge = tuple[str, str, int, str, str, int]

# Patterns of n8n's error messages with the reason for each; the first match counts.
_REASONS = (
    (r"Unrecognized node type", "a type that is not installed"),
    (r"is not available in version", "a version that is not installed"),
    (r"no trigger node", "nothing starts it"),
    (r"required parameters?:", "a required value is absent"),
    (r"redential", "a credential is not chosen"),
    (r"does not reference an existing node", "a connection leads to no node"),
    (r"\.name \(invalid_type\)|\.type \(invalid_type\)", "a node has no name or type"),
)
# Reasons that only the user of a workflow can resolve.
USERS_OWN = frozenset({_REASONS[2][1], _REASONS[3][1], _REASONS[4][1]})


@dataclass(frozen=True, slots=True)
class Outcome:
    """One draft: our verdict after repair, and n8n's answers.

    ``before`` is the answer to the draft as written, ``after`` to the repaired one, ``filled`` to
    the repaired one with stand-ins for values that only the user can supply; all have stand-in
    credentials.
    """

    id: str
    verdict: str
    before: Answer
    after: Answer
    filled: Answer


def measure_draft(draft: Draft, registry: Registry, answers: Answers) -> Outcome | None:
    """Returns the answers of n8n to a draft, or None if it contains no workflow."""
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


def _fill_values(done: RepairedDraft) -> tuple[dict[str, Any], Any]:
    return with_values(done.workflow or {}, done.diagnostics), done.diagnostics


def find_reason(answer: Answer) -> str:
    """Returns a short reason for the refusal of n8n."""
    for pattern, item in _REASONS:
        if re.search(pattern, answer.message):
            return item
    return "the document is not in shape" if not answer.created else "another reason"


@dataclass(frozen=True, slots=True)
class Restored:
    """The results of repair on the types and edges of corrupted twins.

    ``edges`` counts those of the clean twins, ``preserved`` those of them in the corrupted ones,
    and ``mended`` those of them after repair.
    """

    types: Counter[str] = field(default_factory=Counter)
    edges: int = 0
    preserved: int = 0
    mended: int = 0
    invented: int = 0


def score_twins(twins: Iterable[Twin], registry: Registry, *, notes: bool = True) -> Restored:
    """Repairs the corrupted twins and compares them with the clean ones."""
    total = Restored()
    for twin in twins:
        corrupted = twin.corrupted if notes else _remove_notes(twin.corrupted)
        done = repair_and_build(corrupted, registry).workflow or {"nodes": [], "connections": {}}
        types = _count_types(corrupted, done, twin.clean, registry)
        clean, before, after = list_edges(twin.clean), list_edges(corrupted), list_edges(done)
        total = replace(
            total,
            types=total.types + types,
            edges=total.edges + len(clean),
            preserved=total.preserved + len(clean & before),
            mended=total.mended + len(clean & after),
            invented=total.invented + len(after - before - clean),
        )
    return total


def _count_types(
    corrupted: dict[str, Any], done: Any, clean: dict[str, Any], registry: Registry
) -> Counter[str]:
    """Counts the types by result: restored, left, wrong, or intact but changed."""
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


def list_edges(workflow: Any) -> set[Edge]:
    """Returns the edges between existing nodes; ids are resolved to names."""
    graph = N8N.reading.read(workflow).graph
    if graph is None:
        return set()
    names = {node.name for node in graph.nodes}
    return {
        (e.source, e.source_kind, e.source_index, e.target, e.target_kind, e.target_index)
        for e in graph.edges
        if e.source in names and e.target in names
    }


def _remove_notes(workflow: dict[str, Any]) -> dict[str, Any]:
    nodes = [{k: v for k, v in node.items() if k != "notes"} for node in workflow["nodes"]]
    return {**workflow, "nodes": nodes}
