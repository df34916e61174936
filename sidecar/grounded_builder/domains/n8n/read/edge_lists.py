"""Reads edges that a document lists, as other programs write graphs, instead of n8n's connections.

An edge names its two nodes by name or id: as an object with keys for both ends, as a pair, or as a
text with an arrow. React Flow, Cytoscape, Drawflow, Mermaid and n8n's canvas write such lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier

MAIN = "main"
_SUB = "ai_"
# The words of graph theory, and of drawing programs, for both ends of an edge.
_FROM = frozenset({"source", "from", "src", "start", "tail", "origin"})
_TO = frozenset({"target", "to", "dst", "dest", "destination", "end", "head", "sink"})
_EDGES = frozenset(
    {"edge", "edges", "link", "links", "wire", "wires", "arc", "arcs", "connection", "connections"}
)
# Keys of a node that name the nodes after it, and those before it.
_AFTER = frozenset({"next", "to", "then", "successor", "successors", "child", "children"})
_BEFORE = frozenset({"previous", "prev", "from", "parent", "parents", "depends", "after"})
_WHICH_NODE = ("node", "name", "id", "step")
_PORT_WORDS = frozenset({"handle", "port", "output", "input", "index", "branch", "socket"})
_NODE_WORDS = frozenset({"node", "id", "name", "step", "key"})
_ARROW = re.compile(r"-{1,3}>|={1,2}>|→")
# The handles of n8n's canvas: outputs/main/0, inputs/ai_tool/0.
_CANVAS_HANDLE = re.compile(r"(?:inputs|outputs)/([A-Za-z_]{1,40})/(\d{1,2})")
# The outputs that n8n names (``outputNames`` of If, Filter and Loop Over Items).
_NAMED_OUTPUTS = {"true": 0, "false": 1, "kept": 0, "discarded": 1, "done": 0, "loop": 1}
_FIRST = frozenset({"", "main", "default", "output", "input", "out", "in", "source", "target"})
# No node has as many outputs; a larger index is a mistake.
_MOST = 100
_LONGEST_EDGE = 500


@dataclass(frozen=True, slots=True)
class ListedEdge:
    """An edge from an output to an input; ``kind`` is n8n's connection type."""

    source: str
    kind: str
    output: int
    target: str
    input: int


class EdgeList:
    """The edges that a value lists between given nodes."""

    def __init__(self, nodes: Any) -> None:
        entries = [node for node in nodes if isinstance(node, dict)] if nodes else []
        self._names: dict[str, str] = {}
        for key in ("id", "name"):
            for node in entries:
                name, ref = node.get("name"), node.get(key)
                if isinstance(name, str) and name and isinstance(ref, str | int):
                    self._names[str(ref)] = name

    def read(self, value: Any, key: str) -> list[ListedEdge] | None:
        """Returns all edges of a list; None if an entry is no edge between the nodes.

        Pairs are edges only under a key that says so; elsewhere they may be rows or groups.
        """
        entries: Sequence[Any] = list(value.values()) if isinstance(value, dict) else value
        if not isinstance(entries, list) or not entries:
            return None
        if _EDGES.isdisjoint(split_identifier(key)):
            entries = [None if isinstance(entry, list) else entry for entry in entries]
        edges = [self._read_edge(entry) for entry in entries]
        return None if None in edges else [edge for edge in edges if edge is not None]

    def list_named(self, value: Any) -> set[str]:
        """Returns the names of the nodes to which a value refers, by name, id or in an edge."""
        return set(self._list_named(value, depth=4))

    def read_neighbours(self, name: str, key: str, value: Any) -> list[ListedEdge] | None:
        """Returns the edges between a node and those that a key of it names, None for others."""
        words = set(split_identifier(key)) - _NODE_WORDS - {"steps", "nodes", "on"}
        is_after = bool(words) and words <= _AFTER
        if not is_after and not (words and words <= _BEFORE):
            return None
        entries = value if isinstance(value, list) else [value]
        ends = [self._find_node(entry) for entry in entries]
        if not ends or None in ends:
            return None
        pairs = ((name, str(end)) if is_after else (str(end), name) for end in ends)
        return [ListedEdge(source, MAIN, 0, target, 0) for source, target in pairs]

    def _list_named(self, value: Any, depth: int) -> Iterator[str]:
        if isinstance(value, str | int) and not isinstance(value, bool):
            named = self._names.get(str(value))
            if named is not None:
                yield named
            elif isinstance(value, str) and len(value) <= _LONGEST_EDGE:
                parts = _split_arrows(value)
                known = [self._names[part] for part in parts if part in self._names]
                yield from known if len(parts) > 1 else ()
        elif depth and isinstance(value, dict | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from self._list_named(item, depth - 1)

    def _read_edge(self, entry: Any) -> ListedEdge | None:
        if isinstance(entry, str) and len(entry) <= _LONGEST_EDGE:
            entry = _split_arrows(entry)
        if isinstance(entry, list):
            ends = [self._find_node(end) for end in entry]
            if len(ends) != len(("source", "target")) or None in ends:
                return None
            return ListedEdge(str(ends[0]), MAIN, 0, str(ends[1]), 0)
        if not isinstance(entry, dict):
            return None
        # Cytoscape keeps both ends in "data".
        inner = entry.get("data")
        if isinstance(inner, dict) and _find_end(inner, _FROM) is not None:
            entry = inner
        return self._read_object(entry)

    def _read_object(self, entry: Mapping[str, Any]) -> ListedEdge | None:
        source = self._find_node(_find_end(entry, _FROM))
        target = self._find_node(_find_end(entry, _TO))
        output = _read_port(entry, _FROM, "output")
        input_ = _read_port(entry, _TO, "input")
        if source is None or target is None or output is None or input_ is None:
            return None
        kinds = [kind for kind in (_read_kind(entry), output[0], input_[0]) if kind != MAIN]
        return ListedEdge(source, kinds[0] if kinds else MAIN, output[1], target, input_[1])

    def _find_node(self, end: Any) -> str | None:
        if isinstance(end, dict):
            end = next((end[key] for key in _WHICH_NODE if key in end), None)
        if isinstance(end, bool) or not isinstance(end, str | int):
            return None
        return self._names.get(str(end))


def write_connections(edges: Sequence[ListedEdge]) -> dict[str, Any]:
    """Returns n8n's connections with the given edges."""
    written: dict[str, dict[str, list[list[dict[str, Any]]]]] = {}
    for edge in edges:
        outputs = written.setdefault(edge.source, {}).setdefault(edge.kind, [])
        outputs.extend([] for _ in range(edge.output + 1 - len(outputs)))
        outputs[edge.output].append({"node": edge.target, "type": edge.kind, "index": edge.input})
    return written


def _split_arrows(text: str) -> list[str]:
    return [part.strip() for part in _ARROW.split(text)]


def _find_end(entry: Mapping[str, Any], words: frozenset[str]) -> Any:
    """Returns the value whose key names an end, alone or with a word for a node."""
    for key, value in entry.items():
        parts = set(split_identifier(key))
        if parts & words and parts <= words | _NODE_WORDS:
            return value
    return None


def _read_port(
    entry: Mapping[str, Any], words: frozenset[str], side: str
) -> tuple[str, int] | None:
    """Returns the connection type and the index at an end, None where the index is unclear."""
    own = ({side}, {side, "index"}, *([{"branch"}] if side == "output" else []))
    values: list[Any] = []
    for key, value in entry.items():
        parts = set(split_identifier(key))
        if (parts & words and parts & _PORT_WORDS) or parts in own:
            values.append(value)
        elif parts & words and isinstance(value, dict):
            values += [value[name] for name in (side, "index", "port", "handle") if name in value]
    ports = [_read_index(value) for value in values if value is not None]
    if not ports:
        return MAIN, 0
    known = [port for port in ports if port is not None]
    if len(known) < len(ports):
        return None
    kind = next((kind for kind, _ in known if kind != MAIN), MAIN)
    return kind, max(index for _, index in known)


def _read_index(value: Any) -> tuple[str, int] | None:
    if isinstance(value, bool):
        return MAIN, 0 if value else 1
    if isinstance(value, int):
        return (MAIN, value) if 0 <= value < _MOST else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    canvas = _CANVAS_HANDLE.fullmatch(text)
    if canvas:
        return canvas[1], int(canvas[2])
    if text.startswith(_SUB):
        return text, 0
    folded = text.casefold()
    if folded in _FIRST:
        return MAIN, 0
    if folded in _NAMED_OUTPUTS:
        return MAIN, _NAMED_OUTPUTS[folded]
    return (MAIN, int(text)) if text.isdecimal() and int(text) < _MOST else None


def _read_kind(entry: Mapping[str, Any]) -> str:
    # Drawing programs write the line style there.
    kinds = (entry.get(key) for key in ("type", "kind", "connectionType"))
    return next((k for k in kinds if isinstance(k, str) and k.startswith(_SUB)), MAIN)
