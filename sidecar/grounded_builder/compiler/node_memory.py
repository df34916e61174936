"""Keep what passes work out of single nodes for the next document that holds the same ones."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import orjson

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Route
from grounded_builder.ir.graph import Node

# Bytes of JSON: of one node, and of all that one catalog's memory holds.
_LONGEST_NODE, _MOST_BYTES = 8_000, 1_000_000


class NodeMemory:
    """The memos of nodes that were resolved of late, found by place, source and catalog entry.

    Drafts are compiled again after each correction and each edit, and most of their nodes are as
    they were. It begins anew when it is full.
    """

    def __init__(self) -> None:
        self._memos: dict[tuple[Route, bytes], tuple[Any, dict[str, Any]]] = {}
        self._size = 0

    def memo_of(self, node: Node, spec: Any) -> dict[str, Any]:
        """Returns the memo of an equal node of the same entry, else an empty one."""
        try:
            written = orjson.dumps(node.source)
        except TypeError:
            return {}
        if len(written) > _LONGEST_NODE:
            return {}
        key = (node.at, written)
        known = self._memos.get(key)
        if known is not None and known[0] is spec:
            return known[1]
        if self._size > _MOST_BYTES:
            self._memos.clear()
            self._size = 0
        self._size += len(written)
        memo: dict[str, Any] = {}
        self._memos[key] = (spec, memo)
        return memo


_memories: WeakKeyDictionary[Registry, NodeMemory] = WeakKeyDictionary()


def memory_of(registry: Registry) -> NodeMemory:
    """Returns the memory of the nodes that were resolved in a catalog."""
    return _memories.setdefault(registry, NodeMemory())
