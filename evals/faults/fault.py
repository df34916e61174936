"""Defines a fault as changes and the places of its diagnostic; applies changes to a copy."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

Route = tuple[str | int, ...]
_EDGE_OWNER = 2  # the length of ("connections", SOURCE), which contains an edge's entry


@dataclass(frozen=True, slots=True)
class Change:
    """One change at a route: put a value, drop it, append to its list, or rename its last key."""

    op: Literal["put", "drop", "append", "rename"]
    at: Route
    value: Any = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a diagnostic counts as found: at or below a route, at a key of a node, or at a node.

    With ``whole_node``, a diagnostic at the route of a node counts. With ``exact``, only one at the
    route itself counts.
    """

    routes: tuple[Route, ...]
    nodes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    whole_node: bool = False
    exact: bool = False

    def holds(
        self, at: Route, node: str | None, token: str | None, names: dict[str, Route]
    ) -> bool:
        """Checks whether a diagnostic is at this place; ``names`` maps node names to routes."""
        for route in self.routes:
            if at == route or (at[: len(route)] == route and not self.exact):
                return True
            around = route[: len(at)] == at and len(at) >= _EDGE_OWNER
            if around and route[0] == "connections":
                return True
        own = [names[name] for name in self.nodes if name in names]
        if self.whole_node and any(at == route for route in own):
            return True
        if not self.keys or node not in self.nodes:
            return False
        return any(key in at for key in self.keys) or (at in own and token in self.keys)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that can be injected into one workflow."""

    changes: tuple[Change, ...]
    place: Place


def apply_changes(document: Any, changes: Iterable[Change]) -> Any:
    """Returns a copy of a document with the changes applied in order."""
    changed = json.loads(json.dumps(document))
    for change in changes:
        *path, last = change.at
        holder = changed
        for part in path:
            holder = holder[part]
        if change.op == "put":
            holder[last] = change.value
        elif change.op == "drop":
            del holder[last]
        elif change.op == "append":
            holder[last].append(change.value)
        else:
            renamed = {change.value if key == last else key: item for key, item in holder.items()}
            holder.clear()
            holder.update(renamed)
    return changed
