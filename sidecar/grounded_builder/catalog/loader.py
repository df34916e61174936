"""Packs a parsed catalog (index, compressed entries) for storage, and opens it as a registry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import orjson
import zstandard

from grounded_builder.catalog.catalog_file import CatalogFile
from grounded_builder.catalog.fingerprint import catalog_fingerprint
from grounded_builder.catalog.name_decisions import NameDecisions
from grounded_builder.catalog.registry import Compile, EntryKind, Registry
from grounded_builder.catalog.stored_tool import Entry, unpack
from grounded_builder.catalog.tool import (
    CredentialRow,
    Header,
    Operation,
    Package,
    Request,
    ToolRow,
)

FetchBody = Callable[[str], bytes]

_LEVEL = 9
_LARGEST_INDEX = 512_000_000


@dataclass(frozen=True, slots=True)
class Index:
    """The part of a catalog that is held in memory: its header and a small row for each entry."""

    header: Header
    tools: Mapping[str, ToolRow]
    credentials: Mapping[str, CredentialRow]


@dataclass(frozen=True, slots=True)
class PreparedCatalog:
    """A catalog ready to be stored; ``index`` is compressed."""

    fingerprint: str
    header: Header
    index: bytes
    entries: tuple[Entry, ...]


def prepare_catalog(file: CatalogFile) -> PreparedCatalog:
    """Returns a catalog file with its fingerprint and index, independent of line order."""
    entries = tuple(sorted(file.entries, key=lambda entry: (entry.kind, entry.id)))
    keys = ((entry.kind, entry.id, entry.fingerprint) for entry in entries)
    fingerprint = catalog_fingerprint(file.header, keys)
    rows = [entry.row for entry in entries]
    index = Index(
        header=file.header,
        tools={row.id: row for row in rows if isinstance(row, ToolRow)},
        credentials={row.id: row for row in rows if isinstance(row, CredentialRow)},
    )
    return PreparedCatalog(fingerprint, file.header, pack_index(index), entries)


def index_fingerprint(index: Index) -> str:
    """Returns the fingerprint of the catalog that has exactly the entries of an index."""
    keys = [("tool", row.id, row.fingerprint) for row in index.tools.values()]
    keys += [("credential", row.id, row.fingerprint) for row in index.credentials.values()]
    return catalog_fingerprint(index.header, keys)


def pack_index(index: Index) -> bytes:
    """Returns an index as compressed bytes, the form in which it is stored."""
    content = {
        "header": header_json(index.header),
        "tools": _pack_rows(ToolRow, index.tools.values()),
        "credentials": _pack_rows(CredentialRow, index.credentials.values()),
    }
    return zstandard.ZstdCompressor(level=_LEVEL).compress(orjson.dumps(content))


def open_index(blob: bytes) -> Index:
    """Returns the index in the bytes that ``pack_index`` made."""
    plain = zstandard.ZstdDecompressor().decompress(blob, max_output_size=_LARGEST_INDEX)
    content = orjson.loads(plain)
    tools = (ToolRow(**_restore_tuples(row)) for row in _unpack_rows(content["tools"]))
    credentials = (
        CredentialRow(**_restore_tuples(row)) for row in _unpack_rows(content["credentials"])
    )
    return Index(
        header=_parse_header(content["header"]),
        tools={row.id: row for row in tools},
        credentials={row.id: row for row in credentials},
    )


def open_registry(
    index: Index,
    fingerprint: str,
    fetch_body: FetchBody,
    compile_tool: Compile,
    learnt: Mapping[str, NameDecisions] | None = None,
) -> Registry:
    """Returns a registry that fetches an entry's body by its fingerprint on first use."""

    def fetch(kind: EntryKind, identity: str) -> bytes:
        rows = index.tools if kind == "tool" else index.credentials
        return unpack(identity, fetch_body(rows[identity].fingerprint))

    return Registry(
        header=index.header,
        fingerprint=fingerprint,
        tools=index.tools,
        credentials=index.credentials,
        fetch=fetch,
        compile_tool=compile_tool,
        learnt=learnt,
    )


def open_prepared(
    prepared: PreparedCatalog,
    compile_tool: Compile,
    learnt: Mapping[str, NameDecisions] | None = None,
) -> Registry:
    """Returns a registry of a prepared catalog that is not stored."""
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index, fingerprint = open_index(prepared.index), prepared.fingerprint
    registry = open_registry(index, fingerprint, bodies.__getitem__, compile_tool, learnt)
    registry.tool_list = prepared
    return registry


def header_json(header: Header) -> dict[str, Any]:
    """Returns a header as JSON."""
    return {
        "domain": header.domain,
        "schema": header.schema,
        "origin": header.origin,
        "versions": dict(header.versions),
        "packages": [
            {"name": p.name, "version": p.version, "community": p.community, "error": p.error}
            for p in header.packages
        ],
        "generator": header.generator,
    }


def _pack_rows(
    shape: type[ToolRow | CredentialRow], rows: Iterable[ToolRow | CredentialRow]
) -> dict[str, Any]:
    """Returns the field names once, then the values of each row.

    With the names, stored rows stay readable when a row gains a field.
    """
    names = [field.name for field in fields(shape)]
    return {"fields": names, "rows": [[getattr(row, name) for name in names] for row in rows]}


def _unpack_rows(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = content["fields"]
    return (dict(zip(names, values, strict=True)) for values in content["rows"])


def _restore_tuples(row: dict[str, Any]) -> dict[str, Any]:
    for name, value in row.items():
        if name == "operations":
            row[name] = tuple(Operation(**fields) for fields in value)
        elif name == "requests":
            row[name] = tuple(Request(**fields) for fields in value)
        elif isinstance(value, list):
            row[name] = tuple(value)
    return row


def _parse_header(facts: dict[str, Any]) -> Header:
    return Header(
        **{**facts, "packages": tuple(Package(**package) for package in facts["packages"])}
    )
