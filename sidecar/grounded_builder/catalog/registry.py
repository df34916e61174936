"""Provides read-only access to one catalog; decodes and compiles entries on first use."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Any, Literal

import orjson

from grounded_builder.catalog.name_decisions import NameDecisions
from grounded_builder.catalog.name_index import NameIndex
from grounded_builder.catalog.text_search import Bm25Index
from grounded_builder.catalog.tool import CredentialRow, Header, Package, ToolRow
from grounded_builder.catalog.usage_lexicon import load_lexicon
from grounded_builder.catalog.usage_prior import UsagePrior

EntryKind = Literal["tool", "credential"]
Fetch = Callable[[EntryKind, str], bytes]
Compile = Callable[[Mapping[str, Any], float], Any]

_DECODED = 256
_COMPILED = 4096


class Registry:
    """One loaded catalog.

    ``fetch`` returns the JSON bytes of an entry by kind and id. Entries are decoded, and tools
    compiled per version, at most once while they are in the cache. ``learnt`` has the decisions of
    users about names, by their keys.
    """

    def __init__(
        self,
        header: Header,
        fingerprint: str,
        tools: Mapping[str, ToolRow],
        credentials: Mapping[str, CredentialRow],
        fetch: Fetch,
        compile_tool: Compile,
        learnt: Mapping[str, NameDecisions] | None = None,
    ) -> None:
        self.header = header
        self.fingerprint = fingerprint
        self.tools = tools
        self.credentials = credentials
        self.learnt = learnt or {}
        self.names = NameIndex(tools.values())
        self.packages = {package.name: package for package in header.packages}
        # The prepared catalog, of a list of tools that is not stored.
        self.tool_list: Any = None
        self._decode = lru_cache(_DECODED)(lambda kind, key: orjson.loads(fetch(kind, key)))
        self._compile = compile_tool
        self.spec = lru_cache(_COMPILED)(self._spec)

    @property
    def domain(self) -> str:
        """The domain of the catalog."""
        return self.header.domain

    @cached_property
    def search(self) -> Bm25Index:
        """The text search over all tools, built on first use."""
        return Bm25Index(self.tools.values())

    @cached_property
    def expectation(self) -> UsagePrior:
        """How often names and requests of this domain are known to use each tool."""
        return UsagePrior(load_lexicon(self.domain), self.tools.values())

    def with_learnt(self, learnt: Mapping[str, NameDecisions]) -> Registry:
        """Returns the same catalog with other decisions about names; memory is shared."""
        other = copy.copy(self)
        other.learnt = learnt
        return other

    def with_tools(
        self,
        rows: Mapping[str, ToolRow],
        packages: Iterable[Package],
        entry: Callable[[str], Mapping[str, Any]],
    ) -> Registry:
        """Returns the same catalog with more tools, known only by their ids, and more packages.

        ``entry`` returns the catalog entry of one of these tools.
        """
        other = copy.copy(self)
        other.tools = {**self.tools, **rows}
        other.packages = {**{package.name: package for package in packages}, **self.packages}

        def decode(kind: str, key: str) -> Any:
            return entry(key) if kind == "tool" and key in rows else self._decode(kind, key)

        other._decode = lru_cache(_DECODED)(decode)  # noqa: SLF001 - a copy of this
        other.spec = lru_cache(_COMPILED)(other._spec)  # noqa: SLF001
        return other

    def tool(self, tool_id: str) -> Mapping[str, Any]:
        """Returns the full catalog entry of a tool; raises KeyError if there is none."""
        entry: Mapping[str, Any] = self._decode("tool", self.tools[tool_id].id)
        return entry

    def credential(self, credential_id: str) -> Mapping[str, Any]:
        """Returns the full catalog entry of a credential type; raises KeyError if there is none."""
        entry: Mapping[str, Any] = self._decode("credential", self.credentials[credential_id].id)
        return entry

    def _spec(self, tool_id: str, version: float) -> Any:
        return self._compile(self.tool(tool_id), version)
