"""Content addresses: equal content has an equal fingerprint, in whatever order it came."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from grounded_builder.catalog.tool import Header


def canonical(entry: Mapping[str, Any]) -> bytes:
    """The JSON bytes of an entry with sorted keys and without its id.

    Without the id, twins (one tool under two ids) share a fingerprint and a body.
    """
    return orjson.dumps(
        {key: value for key, value in entry.items() if key != "id"}, option=orjson.OPT_SORT_KEYS
    )


def entry_fingerprint(body: bytes) -> str:
    """SHA-256 of the canonical bytes of an entry, in hex."""
    return hashlib.sha256(body).hexdigest()


def catalog_fingerprint(header: Header, entries: Iterable[tuple[str, str, str]]) -> str:
    """SHA-256 over the facts of the header and all (kind, id, fingerprint), in hex.

    The program that wrote the file is no fact of the catalog.
    """
    facts = {
        "domain": header.domain,
        "schema": header.schema,
        "origin": header.origin,
        "versions": dict(header.versions),
        "packages": sorted(
            [package.name, package.version or "", package.community, package.error or ""]
            for package in header.packages
        ),
    }
    digest = hashlib.sha256(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS))
    for entry in sorted(entries):
        digest.update(b"\n" + orjson.dumps(entry))
    return digest.hexdigest()
