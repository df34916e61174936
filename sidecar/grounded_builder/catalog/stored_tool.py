"""Packs a catalog entry into a small index row and compressed JSON, and unpacks the JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
import zstandard

from grounded_builder.catalog.fingerprint import canonical, entry_fingerprint
from grounded_builder.catalog.registry import EntryKind
from grounded_builder.catalog.tool import CredentialRow, Operation, Request, ToolRow

_LEVEL = 6
_LARGEST_BODY = 64_000_000
_LONGEST_NOTICE = 1_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool or credential type; ``body`` is compressed JSON without the id."""

    kind: EntryKind
    id: str
    fingerprint: str
    body: bytes
    row: ToolRow | CredentialRow


def pack(line: Mapping[str, Any]) -> Entry:
    """Returns a checked and sanitized line of kind tool or credential as an entry."""
    fingerprint = entry_fingerprint(canonical(line))
    # Keeps the order of keys, which matters where conditions are evaluated key by key.
    plain = orjson.dumps({key: value for key, value in line.items() if key != "id"})
    body = zstandard.ZstdCompressor(level=_LEVEL).compress(plain)
    if line["kind"] == "tool":
        return Entry("tool", line["id"], fingerprint, body, _tool_row(line, fingerprint))
    return Entry("credential", line["id"], fingerprint, body, _credential_row(line, fingerprint))


def unpack(identity: str, body: bytes) -> bytes:
    """Returns the JSON bytes of an entry, with its id."""
    plain = zstandard.ZstdDecompressor().decompress(body, max_output_size=_LARGEST_BODY)
    return b'{"id":' + orjson.dumps(identity) + b"," + plain[1:]


def _tool_row(line: Mapping[str, Any], fingerprint: str) -> ToolRow:
    variants = line["variants"]
    named = [variant["name"] for variant in variants if variant.get("name")]
    aliases = dict.fromkeys([*line.get("aliases", ()), *named])
    aliases.pop(line["name"], None)
    return ToolRow(
        id=line["id"],
        name=line["name"],
        fingerprint=fingerprint,
        versions=tuple(sorted(version for variant in variants for version in variant["versions"])),
        default_version=line.get("default_version"),
        aliases=tuple(aliases),
        keywords=tuple(line.get("keywords", ())),
        description=line.get("description", ""),
        category=line.get("category", ""),
        family=line.get("family", ""),
        package=line.get("package", ""),
        availability=line.get("availability", "installed"),
        is_generic=line.get("is_generic", False),
        hidden=line.get("hidden", False),
        requires_license=line.get("requires_license"),
        replaced_by=tuple(line.get("replaced_by", ())),
        version_deprecated=line.get("version_deprecated"),
        equivalent_to=tuple(line.get("equivalent_to", ())),
        capabilities=tuple(line.get("capabilities", ())),
        hosts=tuple(line.get("hosts", ())),
        operations=_operations(variants),
        requests=_requests(line),
    )


def _requests(line: Mapping[str, Any]) -> tuple[Request, ...]:
    return tuple(
        Request(request["path"], request.get("method", ""), request.get("params", {}))
        for request in line.get("requests", ())
    )


def _operations(variants: list[dict[str, Any]]) -> tuple[Operation, ...]:
    """Returns the operations of all variants; the newest variant's name for one is used."""
    newest_last = sorted(variants, key=lambda variant: float(max(variant["versions"])))
    by_params: dict[bytes, Operation] = {}
    for variant in newest_last:
        for operation in variant.get("operations", ()):
            key = orjson.dumps(operation["params"], option=orjson.OPT_SORT_KEYS)
            by_params[key] = Operation(operation["name"], operation["params"])
    return tuple(by_params[key] for key in sorted(by_params))


def _credential_row(line: Mapping[str, Any], fingerprint: str) -> CredentialRow:
    return CredentialRow(
        id=line["id"],
        name=line["name"],
        fingerprint=fingerprint,
        extends=tuple(line.get("extends", ())),
        tools=tuple(line.get("tools", ())),
        traits=line.get("traits", {}),
        notice=_first_notice(line.get("parameters")),
    )


def _first_notice(parameters: Any) -> str:
    """Returns the notice with which a form begins, if it is always shown, else empty."""
    first = parameters[0] if isinstance(parameters, list) and parameters else None
    if not isinstance(first, dict) or first.get("type") != "notice" or first.get("displayOptions"):
        return ""
    return str(first.get("displayName") or "")[:_LONGEST_NOTICE]
