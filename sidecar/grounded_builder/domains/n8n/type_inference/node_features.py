"""Extracts a node's features for type inference: parameters, credentials, edges, words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.text_cleaning import without_number
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.ir.graph import Graph, Node

_MARKER = "$fromAI("
# An id in camel case with at least two words.
_ID = re.compile(r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*")
_MAX_NOTES_LENGTH = 400


@dataclass(frozen=True, slots=True)
class NodeFeatures:
    """The parameters, credential types, kinds of edges and words of a node.

    ``label`` is the name without the number of a copy, ``noted_ids`` the ids in its notes.
    """

    params: Mapping[str, Any]
    version: float | None
    credentials: frozenset[str]
    leaving: frozenset[str]
    arriving: frozenset[str]
    label: str
    noted_ids: tuple[str, ...]
    asks_model: bool

    @property
    def sub_node_kinds(self) -> frozenset[str]:
        """Returns the kinds of edges that connect sub-nodes and roots."""
        return self.leaving | self.arriving


@dataclass(frozen=True, slots=True)
class SubNodeEdges:
    """The kinds of edges between sub-nodes and their roots, by the names of their nodes."""

    leaving: Mapping[str, frozenset[str]]
    arriving: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, graph: Graph) -> SubNodeEdges:
        """Returns the kinds in a graph; sub-nodes drawn with data edges have none."""
        leaving: dict[str, set[str]] = {}
        arriving: dict[str, set[str]] = {}
        for edge in graph.edges:
            if MAIN not in (edge.source_kind, edge.target_kind):
                leaving.setdefault(edge.source, set()).add(edge.source_kind)
                arriving.setdefault(edge.target, set()).add(edge.target_kind)
        return cls(
            {name: frozenset(kinds) for name, kinds in leaving.items()},
            {name: frozenset(kinds) for name, kinds in arriving.items()},
        )


def extract_features(node: Node, edges: SubNodeEdges) -> NodeFeatures:
    """Returns the features of a node; data edges do not count, as sub-nodes often have them."""
    given = node.source.get("credentials")
    notes = node.source.get("notes")
    return NodeFeatures(
        params=node.params,
        version=node.version,
        credentials=frozenset(given) if isinstance(given, dict) else frozenset(),
        leaving=edges.leaving.get(node.name, frozenset()),
        arriving=edges.arriving.get(node.name, frozenset()),
        label=without_number(node.name).strip(),
        noted_ids=tuple(dict.fromkeys(_ID.findall(notes[:_MAX_NOTES_LENGTH])))
        if isinstance(notes, str)
        else (),
        asks_model=_MARKER in str(node.params),
    )
