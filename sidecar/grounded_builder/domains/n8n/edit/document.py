"""Holds the copy of a workflow that an edit changes, and finds its nodes and edges by name."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, UNKNOWN, Ports, ports_of
from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.graph import Edge, Graph, ResolvedGraph, ResolvedNode


class Canvas:
    """One copy of a document; parts that are not edited stay unchanged.

    ``steps`` maps the ids of added steps to the names of their nodes.
    """

    def __init__(self, document: Any, ground: EditContext) -> None:
        self.document = deepcopy(document)
        self.ground = ground
        self.touched: set[str] = set()
        self.steps: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        self.notes: list[str] = []
        self.diagnostics: list[Diagnostic] = []
        self._resolved: ResolvedGraph | None = None
        graph = read(self.document).graph
        if graph is None:
            raise ValueError("the document is no workflow")
        self.workflow: dict[str, Any] = graph.document  # type: ignore[assignment]  # own copy

    @property
    def resolve(self) -> ResolvedGraph:
        """The current workflow with its names resolved."""
        if self._resolved is None:
            graph = read(self.document).graph
            if graph is None:
                raise ValueError("the document is no workflow")
            self._resolved = resolve_graph(graph, self.ground.domain, self.ground.registry)[0]
        return self._resolved

    @property
    def graph(self) -> Graph:
        """The current workflow."""
        return self.resolve.graph

    def resolved_node(self, name: str) -> ResolvedNode:
        """Returns the node of this name with its tool."""
        return self.resolve.by_name[name]

    def ports(self, name: str) -> Ports:
        """Returns the ports of a node; unknown ports for an unknown name."""
        known = self.resolve.by_name.get(name)
        return ports_of(known) if known is not None else UNKNOWN

    def node(self, name: str) -> dict[str, Any]:
        """Returns the entry of a node for editing, and marks it as touched."""
        self._resolved = None
        self.touched.add(name)
        entry: dict[str, Any] = next(
            node
            for node in self.workflow["nodes"]
            if isinstance(node, dict) and node["name"] == name
        )
        return entry

    def edges_from(self, name: str, kind: str | None = None) -> list[Edge]:
        """Returns the edges that leave a node."""
        edges = (edge for edge in self.graph.edges if edge.source == name)
        return [edge for edge in edges if kind in (None, edge.source_kind)]

    def edges_to(self, name: str, kind: str | None = None) -> list[Edge]:
        """Returns the edges that enter a node."""
        edges = (edge for edge in self.graph.edges if edge.target == name)
        return [edge for edge in edges if kind in (None, edge.target_kind)]

    def add(self, node: dict[str, Any]) -> None:
        """Appends a new node."""
        self._resolved = None
        self.workflow["nodes"].append(node)
        self.touched.add(node["name"])

    def remove(self, name: str) -> None:
        """Removes a node with its edges and pinned items."""
        self.unlink([*self.edges_from(name), *self.edges_to(name)])
        self._resolved = None
        nodes = self.workflow["nodes"]
        nodes[:] = [
            node for node in nodes if not (isinstance(node, dict) and node.get("name") == name)
        ]
        for key in ("connections", "pinData"):
            holder = self.workflow.get(key)
            if isinstance(holder, dict):
                holder.pop(name, None)

    def link(
        self,
        source: str,
        target: str,
        output: int = 0,
        input_: int = 0,
        kind: str = MAIN,
    ) -> None:
        """Adds an edge, unless it exists."""
        self._resolved = None
        connections = self.workflow.setdefault("connections", {})
        outputs = connections.setdefault(source, {}).setdefault(kind, [])
        while len(outputs) <= output:
            outputs.append([])
        if outputs[output] is None:
            outputs[output] = []
        entry = {"node": target, "type": kind, "index": input_}
        if entry not in outputs[output]:
            outputs[output].append(entry)

    def unlink(self, edges: Iterable[Edge]) -> None:
        """Removes edges, and the containers that become empty after the last edge of a node."""
        connections = self.workflow.get("connections", {})
        for edge in sorted(edges, key=lambda edge: -int(edge.at[-1])):
            kinds = connections[edge.source]
            outputs = kinds[edge.source_kind]
            targets = outputs[edge.source_index]
            place = int(edge.at[-1])
            if place < len(targets) and targets[place].get("node") == edge.target:
                del targets[place]
            while outputs and not outputs[-1]:
                outputs.pop()
            if not outputs:
                del kinds[edge.source_kind]
            if not kinds:
                del connections[edge.source]
        self._resolved = None

    def unused_name(self, name: str) -> str:
        """Returns an unused node name: this one, or with a number appended."""
        taken = {node.name.casefold() for node in self.graph.nodes}
        candidate, number = name, 1
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{name} {number}"
        return candidate
