"""Caches the results of compiling single nodes, so that equal nodes of later drafts reuse them."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import orjson

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Route
from grounded_builder.ir.graph import Node

# Limits in bytes of JSON: for one node, and for all cached nodes of one catalog.
_MAX_NODE_BYTES, _MAX_BYTES = 8_000, 1_000_000


class NodeCache:
    """The memos of recent nodes, by place, source and catalog entry.

    Drafts are compiled again after each correction and each edit, with most nodes unchanged. When
    the cache is full, it is cleared.
    """

    def __init__(self) -> None:
        self._memos: dict[tuple[Route, bytes], tuple[Any, dict[str, Any]]] = {}
        self._size = 0

    def memo_of(self, node: Node, spec: Any) -> dict[str, Any]:
        """Returns the memo of an equal node with the same entry, else an empty one."""
        try:
            written = orjson.dumps(node.source)
        except TypeError:
            return {}
        if len(written) > _MAX_NODE_BYTES:
            return {}
        key = (node.at, written)
        known = self._memos.get(key)
        if known is not None and known[0] is spec:
            return known[1]
        if self._size > _MAX_BYTES:
            self._memos.clear()
            self._size = 0
        self._size += len(written)
        memo: dict[str, Any] = {}
        self._memos[key] = (spec, memo)
        return memo


_memories: WeakKeyDictionary[Registry, NodeCache] = WeakKeyDictionary()


def node_cache_of(registry: Registry) -> NodeCache:
    """Returns the node cache of a catalog."""
    return _memories.setdefault(registry, NodeCache())
