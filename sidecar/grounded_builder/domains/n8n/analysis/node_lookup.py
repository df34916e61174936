"""The node that is meant by a name that no node has: its id, or the name in a loose spelling."""

from __future__ import annotations

from grounded_builder.domains.n8n.analysis.node_names import Names
from grounded_builder.ir.graph import ResolvedGraph


class NodeLookup:
    """Answers for one workflow; an id that two nodes share means neither."""

    def __init__(self, resolved: ResolvedGraph) -> None:
        self.names = Names(resolved.by_name)
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
        """Returns the name of the one node that is meant; None when it is not just one."""
        return self._ids.get(name) or self.names.respelled(name)

    def what(self, name: str) -> str:
        """Returns what a name is, said of a name that no node has."""
        if name in self._ids:
            return f'the id of "{self._ids[name]}": connections follow names'
        return "no node of the workflow"
