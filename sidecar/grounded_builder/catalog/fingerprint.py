"""Hashes catalog entries and whole catalogs by canonical JSON, independent of their order."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from grounded_builder.catalog.tool import Header


def canonical(entry: Mapping[str, Any]) -> bytes:
    """Returns an entry as JSON bytes with sorted keys and without its id.

    Without the id, one tool under two ids has one fingerprint and one stored body.
    """
    return orjson.dumps(
        {key: value for key, value in entry.items() if key != "id"}, option=orjson.OPT_SORT_KEYS
    )


def entry_fingerprint(body: bytes) -> str:
    """Returns the SHA-256 of an entry's canonical bytes, in hex."""
    return hashlib.sha256(body).hexdigest()


def catalog_fingerprint(header: Header, entries: Iterable[tuple[str, str, str]]) -> str:
    """Returns the SHA-256 of the header and all (kind, id, fingerprint), in hex.

    The ``generator`` of the header is left out: it does not change what is installed.
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
