"""Registries of tool lists that come with a request and are kept nowhere."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import orjson

from grounded_builder.domain import Domain
from grounded_builder.registry.catalog_file import CatalogError, Problem, read_catalog
from grounded_builder.registry.load import open_index, prepare, registry_of
from grounded_builder.registry.registry import Registry
from grounded_builder.storage.store import Store

_KEPT_LISTS = 8


def unstored(tools: Any, domain: Domain, store: Store) -> Registry:
    """The registry of a list of definitions; CatalogError says what is wrong with it."""
    return _LISTS.registry(tools, domain, store)


@dataclass(slots=True)
class _Lists:
    """The registries of the tool lists sent last: the same list comes with every request."""

    kept: OrderedDict[str, Registry] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def registry(self, tools: Any, domain: Domain, store: Store) -> Registry:
        """The registry of a list of definitions; CatalogError says what is wrong with it."""
        raw = _encoded(tools)
        key = hashlib.sha256(raw).hexdigest()
        with self.lock:
            known = self.kept.get(key)
            if known is not None:
                self.kept.move_to_end(key)
                return known
        made = _in_memory(raw, domain, store)
        with self.lock:
            self.kept[key] = made
            while len(self.kept) > _KEPT_LISTS:
                self.kept.popitem(last=False)
        return made


_LISTS = _Lists()


def _in_memory(raw: bytes, domain: Domain, store: Store) -> Registry:
    file = domain.adopt(raw)
    if file is None:
        problem = Problem("a list of tools is expected")
        raise CatalogError((problem,), "send OpenAI functions, an MCP tool list, or tools with ids")
    prepared = prepare(read_catalog(file, domain.name, store.settings.bounds))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    return registry_of(
        open_index(prepared.index),
        prepared.fingerprint,
        bodies.__getitem__,
        domain.compile_tool,
        store.learnt(domain.name),
    )


def _encoded(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError as error:
        problem = Problem("the tools hold what JSON in UTF-8 cannot hold")
        raise CatalogError((problem,), "send the definitions as JSON") from error
