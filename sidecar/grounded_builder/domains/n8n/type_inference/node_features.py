"""What a node carries beside its type: all that can tell which type it has lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.sanitize import without_number
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.ir.graph import Graph, Node

_MARKER = "$fromAI("
# An id as it is written in code: two words joined by a capital letter.
_ID = re.compile(r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*")
_NOTES_READ = 400


@dataclass(frozen=True, slots=True)
class NodeFeatures:
    """The parameters that say something, credential types, kinds of edges and words of a node.

    ``label`` is the name without a copy's number, ``told`` the ids that its notes write.
    """

    params: Mapping[str, Any]
    version: float | None
    credentials: frozenset[str]
    leaving: frozenset[str]
    arriving: frozenset[str]
    label: str
    told: tuple[str, ...]
    asks_model: bool

    @property
    def serving(self) -> frozenset[str]:
        """The kinds of edges that join sub-nodes to their roots."""
        return self.leaving | self.arriving


def signs_of(node: Node, graph: Graph) -> NodeFeatures:
    """The signs of one node; a data edge is none, for edges of sub-nodes are often drawn so."""
    joined = [e for e in graph.edges if MAIN not in (e.source_kind, e.target_kind)]
    given = node.source.get("credentials")
    notes = node.source.get("notes")
    return NodeFeatures(
        params=node.params,
        version=node.version,
        credentials=frozenset(given) if isinstance(given, dict) else frozenset(),
        leaving=frozenset(e.source_kind for e in joined if e.source == node.name),
        arriving=frozenset(e.target_kind for e in joined if e.target == node.name),
        label=without_number(node.name).strip(),
        told=tuple(dict.fromkeys(_ID.findall(notes[:_NOTES_READ])))
        if isinstance(notes, str)
        else (),
        asks_model=_MARKER in str(node.params),
    )
