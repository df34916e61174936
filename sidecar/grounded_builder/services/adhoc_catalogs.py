"""Builds registries for tool lists that come with a request and are not stored."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import orjson

from grounded_builder.catalog.catalog_file import Bounds, CatalogError, Problem, read_catalog
from grounded_builder.catalog.loader import PreparedCatalog, open_prepared, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.domain import Domain
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.storage.store import Store

_KEPT_LISTS = 8


def registry_for_tool_list(
    tools: Any, domain: Domain, store: Store, compiling: Compiling = compile_here
) -> Registry:
    """Returns the registry for a list of tool definitions; raises CatalogError for an unusable
    list.
    """
    return _LISTS.registry(tools, domain, store, compiling)


@dataclass(slots=True)
class _Lists:
    """Caches the registries of the latest tool lists: clients send the same list with every
    request.
    """

    registries: OrderedDict[str, Registry] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def registry(self, tools: Any, domain: Domain, store: Store, compiling: Compiling) -> Registry:
        """Returns the registry for a list of definitions; raises CatalogError for an
        unusable list.
        """
        raw = _encode(tools)
        key = hashlib.sha256(raw).hexdigest()
        with self.lock:
            known = self.registries.get(key)
            if known is not None:
                self.registries.move_to_end(key)
                return known
        work = partial(prepare_tools, raw, domain, store.settings.bounds)
        prepared = compiling(work, len(raw))
        made = open_prepared(prepared, domain.resolving.compile_tool, store.learnt(domain.name))
        with self.lock:
            self.registries[key] = made
            while len(self.registries) > _KEPT_LISTS:
                self.registries.popitem(last=False)
        return made


_LISTS = _Lists()


def prepare_tools(raw: bytes, domain: Domain, bounds: Bounds) -> PreparedCatalog:
    """Returns the catalog of a list of definitions; raises CatalogError for an unusable list."""
    convert = domain.resolving.convert_catalog
    file = None if convert is None else convert(raw)
    if file is None:
        problem = Problem("a list of tools is expected")
        raise CatalogError((problem,), "send OpenAI functions, an MCP tool list, or tools with ids")
    return prepare_catalog(read_catalog(file, domain.name, bounds))


def _encode(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError as error:
        problem = Problem("the tools hold text that JSON in UTF-8 cannot represent")
        raise CatalogError((problem,), "send the definitions as JSON") from error
