"""Makes a workflow's trial copy, in which no node reaches outside, with a webhook per trigger.

A node that is not run for real keeps its name and its place, and gives sample items instead, so
that expressions read of it as they would. Its parameters are evaluated all the same, by a node in
front of it. Nothing of the workflow's own starts the copy: a webhook on a path that nobody else
knows leads to the items of each trigger.
"""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from grounded_builder.domains.n8n.analysis.ports import MAIN, ports_of
from grounded_builder.domains.n8n.trial.node_role import RESPOND, NodeRole
from grounded_builder.domains.n8n.trial.nodes import (
    ROUND,
    TRUE,
    as_it_is,
    expressions,
    make_evaluating_parameters,
    make_node,
    once,
)
from grounded_builder.domains.n8n.trial.samples import Sample
from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode
from grounded_builder.ir.graph_cycles import find_back_edges

RUN_S = 20
_KEPT_SETTINGS = ("executionOrder", "timezone")


class _Names:
    """The names in use; every new one is unused, and recorded with the node it belongs to."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.owner: dict[str, str] = {}

    def beside(self, name: str, role: str) -> str:
        """Returns an unused name for a node that does something for another."""
        new = f"{name} ({role})"
        number = 2
        while new in self._taken:
            new = f"{name} ({role} {number})"
            number += 1
        self._taken.add(new)
        self.owner[new] = name
        return new


@dataclass(frozen=True, slots=True)
class Start:
    """A trigger of the workflow, and the path of the webhook that begins its part of the copy."""

    node: str
    path: str


@dataclass(frozen=True, slots=True)
class SandboxCopy:
    """The workflow to send.

    ``owner`` names, for each node that was added, whom it serves; ``rounds`` are those among them
    that count the rounds of a loop.
    """

    workflow: Mapping[str, Any]
    starts: tuple[Start, ...]
    owner: Mapping[str, str]
    rounds: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cast:
    """Who plays which part: treatments and samples by the names of nodes."""

    resolved: ResolvedGraph
    treatments: Mapping[str, NodeRole]
    samples: Mapping[str, Sample]

    def kind(self, name: str) -> str:
        """Returns how a node is treated; one that is not there is left out."""
        known = self.treatments.get(name)
        return known.kind if known is not None else "leave"


def replica_of(cast: Cast, name: str) -> SandboxCopy:
    """Builds the copy under a name of its own."""
    return _Workshop(cast).replica(name)


def _find_closing_edges(edges: Iterable[Edge], starts: Iterable[str]) -> frozenset[Edge]:
    """Returns the edges that lead to a node on the path from a start to their own source."""
    mains = [edge for edge in edges if edge.source_kind == MAIN]
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(starts)
    graph.add_edges_from((edge.source, edge.target) for edge in mains)
    closing = set(find_back_edges(graph))
    return frozenset(edge for edge in mains if (edge.source, edge.target) in closing)


class _Workshop:
    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._names = _Names(cast.resolved.by_name)
        self._nodes: list[dict[str, Any]] = []
        self._edges: dict[str, list[list[dict[str, Any]]]] = {}
        self._entries: dict[str, str] = {}
        self._starts: list[Start] = []
        self._rounds: set[str] = set()

    def replica(self, name: str) -> SandboxCopy:
        bounds = [node for node in self._cast.resolved.nodes if self._is_first(node)]
        for bound in bounds:
            self._put(bound)
        edges = self._cast.resolved.graph.edges
        closing = _find_closing_edges(edges, [start.node for start in self._starts])
        for edge in edges:
            self._lead(edge, closes=edge in closing)
        settings = self._cast.resolved.graph.document.get("settings") or {}
        workflow = {
            "name": name,
            "nodes": self._nodes,
            "connections": {source: {MAIN: outputs} for source, outputs in self._edges.items()},
            "settings": {
                **{key: settings[key] for key in _KEPT_SETTINGS if key in settings},
                "saveDataErrorExecution": "all",
                "saveDataSuccessExecution": "all",
                "saveExecutionProgress": False,
                "executionTimeout": RUN_S,
            },
        }
        owner = dict(self._names.owner)
        return SandboxCopy(workflow, tuple(self._starts), owner, frozenset(self._rounds))

    def _is_first(self, bound: ResolvedNode) -> bool:
        return self._cast.resolved.by_name.get(bound.node.name) is bound

    def _put(self, bound: ResolvedNode) -> None:
        name, kind = bound.node.name, self._cast.kind(bound.node.name)
        if kind == "run":
            self._nodes.append(as_it_is(bound))
        elif kind == "pass":
            self._add(name, "noOp", 1, {})
        elif kind == "start":
            self._begin(bound)
        elif kind == "stand-in":
            self._stand_in(bound)

    def _begin(self, bound: ResolvedNode) -> None:
        name = bound.node.name
        start = Start(name, secrets.token_hex(16))
        self._starts.append(start)
        hook = self._names.beside(name, "call")
        waits = self._leads_to_response(name)
        self._add(
            hook,
            "webhook",
            2,
            {
                "path": start.path,
                "responseMode": "responseNode" if waits else "onReceived",
                "options": {},
            },
            webhookId=str(uuid.uuid4()),
        )
        self._give(bound, name)
        self._join(hook, 0, name)

    def _stand_in(self, bound: ResolvedNode) -> None:
        """Returns a node that evaluates the parameters, then the items, then as many ways as were
        wired.
        """
        name = bound.node.name
        last = name
        ways = self._ways(bound)
        if ways > 1:
            self._add(
                name,
                "switch",
                3.2,
                {
                    "mode": "rules",
                    "rules": {"values": [TRUE for _ in range(ways)]},
                    "options": {"allMatchingOutputs": True},
                },
            )
            last = self._names.beside(name, "sample")
            self._join(last, 0, name)
        self._give(bound, last)
        self._entries[name] = last
        read = list(expressions(bound))
        if read:
            asked = self._names.beside(name, "parameters")
            self._add(asked, "set", 3.4, make_evaluating_parameters(read), **once(bound))
            self._join(asked, 0, last)
            self._entries[name] = asked

    def _give(self, bound: ResolvedNode, name: str) -> None:
        """Returns the node that gives the sample items."""
        sample = self._cast.samples[bound.node.name]
        if len(sample.items) == 1 and not sample.items[0].get("binary"):
            content = json.dumps(sample.items[0]["json"], ensure_ascii=False)
            parameters = {"mode": "raw", "jsonOutput": content, "options": {}}
            self._add(name, "set", 3.4, parameters, **once(bound))
        else:
            code = f"return {json.dumps(list(sample.items), ensure_ascii=False)};"
            self._add(name, "code", 2, {"jsCode": code})

    def _ways(self, bound: ResolvedNode) -> int:
        """Returns how many outputs of a node lead on, counted to the last; errors never come."""
        outputs = ports_of(bound).outputs
        sound = None if outputs is None else [p for p in outputs.get(MAIN, ()) if not p.is_error]
        used = [
            edge.source_index + 1
            for edge in self._cast.resolved.graph.edges
            if edge.source == bound.node.name and edge.source_kind == MAIN
        ]
        most = max(used, default=1)
        return most if sound is None else min(most, max(1, len(sound)))

    def _lead(self, edge: Edge, *, closes: bool) -> None:
        target = self._cast.kind(edge.target)
        if edge.source_kind != MAIN or "leave" in (self._cast.kind(edge.source), target):
            return
        if target == "start":
            return
        index = edge.target_index if target == "run" else 0
        entry = self._entries.get(edge.target, edge.target)
        if closes:
            counting = self._names.beside(edge.target, "round")
            self._add(counting, "filter", 2.2, ROUND)
            self._rounds.add(counting)
            self._join(edge.source, edge.source_index, counting)
            self._join(counting, 0, entry, index)
        else:
            self._join(edge.source, edge.source_index, entry, index)

    def _join(self, source: str, output: int, target: str, index: int = 0) -> None:
        outputs = self._edges.setdefault(source, [])
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        entry = {"node": target, "type": MAIN, "index": index}
        if entry not in outputs[output]:
            outputs[output].append(entry)

    def _leads_to_response(self, name: str) -> bool:
        """Returns whether a node that responds to a webhook is run after a trigger."""
        responding = {
            node.node.name
            for node in self._cast.resolved.nodes
            if node.node.tool == RESPOND and self._cast.kind(node.node.name) == "run"
        }
        seen, stack = {name}, [name]
        while stack:
            here = stack.pop()
            for edge in self._cast.resolved.graph.edges:
                if edge.source == here and edge.source_kind == MAIN and edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
        return not responding.isdisjoint(seen)

    def _add(
        self, name: str, kind: str, version: float, parameters: Mapping[str, Any], **more: Any
    ) -> None:
        self._nodes.append(
            make_node(name, kind, version, parameters, 220 * len(self._nodes), **more)
        )
