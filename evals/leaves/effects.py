"""Asks n8n which parameters of compiled drafts it keeps; it drops those without an effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.differential.oracle import Question, ask
from evals.leaves.fates import Leaf, Outcome, leaves_of
from grounded_builder.diagnostics import Route

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Written:
    """A leaf of a draft that is a parameter of a node, at a route there."""

    draft: str
    leaf: Leaf
    node: int
    at: Route


def list_written(key: str, outcome: Outcome) -> list[Written]:
    """Returns the unreported leaves that are parameters of enabled nodes of an artifact."""
    written = []
    for leaf in leaves_of(outcome.draft):
        place = outcome.place(leaf)
        if place[2:3] != ("parameters",) or outcome.fate(leaf) != "written":
            continue
        is_off = outcome.nodes[int(place[1])].get("disabled")
        has_value = leaf.value not in ({}, [], "", None) and not is_off
        if has_value and place[3:] and not outcome.is_reported(leaf):
            written.append(Written(key, leaf, int(place[1]), place[3:]))
    return written


def questions_of(key: str, artifact: Mapping[str, Any], tools: Any) -> Iterator[Question]:
    """Yields a question about each node whose type and version are in the catalog."""
    for index, node in enumerate(artifact["nodes"]):
        tool = tools.get(node.get("type"))
        versions = {v for variant in tool["variants"] for v in variant["versions"]} if tool else ()
        if node.get("typeVersion") in versions:
            yield Question(f"{key}/{index}", node["type"], node["typeVersion"], node)


def find_dropped(
    written: Sequence[Written], questions: Sequence[Question], catalog: Path, homes: Sequence[Path]
) -> list[Written]:
    """Returns the leaves that n8n drops when it fills the parameters of their nodes."""
    answers = ask(questions, catalog, *homes) if questions else {}
    dropped = []
    for item in written:
        answer = answers.get(f"{item.draft}/{item.node}")
        if answer is None or answer.error:
            continue
        value: Any = answer.full
        for part in item.at:
            if isinstance(value, dict):
                value = value.get(part, _ABSENT)
            elif isinstance(value, list) and isinstance(part, int) and part < len(value):
                value = value[part]
            else:
                value = _ABSENT
        if value is _ABSENT:
            dropped.append(item)
    return dropped
