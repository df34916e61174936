"""Looks up the node meant by an id or a loosely spelled name, and describes unknown names."""

from __future__ import annotations

from collections.abc import Collection

from grounded_builder.catalog.likeness import NearestNames, without_spaces
from grounded_builder.ir.graph import ResolvedGraph


class NodeNames(NearestNames):
    """The names of a workflow's nodes."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__(names)
        self._folded: dict[str, list[str]] | None = None

    def match_spelling(self, name: str) -> str | None:
        """Returns the only name that differs just in case and spaces, None otherwise."""
        if self._folded is None:
            self._folded = {}
            for known in self._names:
                self._folded.setdefault(without_spaces(known), []).append(known)
        matches = self._folded.get(without_spaces(name), [])
        return matches[0] if len(matches) == 1 and without_spaces(name) else None


class NodeLookup:
    """Looks up the nodes of a workflow; an id that two nodes share identifies neither."""

    def __init__(self, resolved: ResolvedGraph) -> None:
        self.names = NodeNames(resolved.by_name)
        self._ids: dict[str, str] = {}
        shared: set[str] = set()
        for node in resolved.graph.nodes:
            identity = node.source.get("id")
            if isinstance(identity, str) and identity:
                if identity in self._ids:
                    shared.add(identity)
                self._ids[identity] = node.name
        for identity in shared:
            del self._ids[identity]

    def of(self, name: str) -> str | None:
        """Returns the name of the only node with this id or spelling, None otherwise."""
        return self._ids.get(name) or self.names.match_spelling(name)

    def what(self, name: str) -> str:
        """Describes a name that no node has, for a message."""
        if name in self._ids:
            return f'the id of "{self._ids[name]}": connections refer to nodes by name'
        return "not a node of the workflow"
