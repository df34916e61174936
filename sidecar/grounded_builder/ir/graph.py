"""Defines the graph that every draft becomes: nodes with tool names, edges between ports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Route


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a draft, as drafted; ``at`` is its route in the document."""

    name: str
    tool: str | None
    version: float | None
    params: Mapping[str, Any]
    at: Route
    source: Mapping[str, Any]
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """One connection; kinds and indices identify the port on each end, ``at`` the target entry."""

    source: str
    source_kind: str
    source_index: int
    target: str
    target_kind: str
    target_index: int
    at: Route


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes and edges in document order, with the document they were read from."""

    document: Mapping[str, Any]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class ResolvedNode:
    """A node with the tool of its name; without ``spec`` it is unresolved.

    ``memo`` caches what passes compute from the node and its ``spec`` alone. Equal nodes of
    documents of one catalog can share it, so its values must not be changed.
    """

    node: Node
    tool: ToolRow | None = None
    version: float | None = None
    spec: Any = None
    memo: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ResolvedGraph:
    """A graph with resolved names; ``by_name`` has the first of several equal names."""

    graph: Graph
    nodes: tuple[ResolvedNode, ...]
    by_name: Mapping[str, ResolvedNode]
