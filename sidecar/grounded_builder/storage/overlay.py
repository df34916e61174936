"""Adds tools to the active catalog, removes them, and carries them over to a new catalog.

A catalog is identified by its content: removing the last added tool leads to the earlier
fingerprint, and activating a catalog restores its own overlay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import Connection, insert, literal, or_, select, update

from grounded_builder.catalog.loader import Index, index_fingerprint, open_index, pack_index
from grounded_builder.catalog.stored_tool import Entry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.storage import catalogs
from grounded_builder.storage.schema import CATALOG_ENTRIES, CATALOGS
from grounded_builder.storage.timestamps import utc_now


class OverlayError(ValueError):
    """A tool that cannot be added or removed; ``code`` and ``help`` give the reason and
    the remedy.
    """

    def __init__(self, code: str, message: str, help_text: str) -> None:
        super().__init__(message)
        self.code = code
        self.help = help_text


@dataclass(frozen=True, slots=True)
class _Base:
    """The active catalog before a change."""

    fingerprint: str
    index: Index
    overlay: frozenset[str]


def put(connection: Connection, domain: str, entry: Entry) -> str:
    """Adds a tool to the active catalog; returns the fingerprint active then."""
    base = _active(connection, domain)
    if not isinstance(entry.row, ToolRow):
        raise OverlayError("not-a-tool", f"{entry.id} is not a tool", "send one line of kind tool")
    taken = {known.casefold(): known for known in base.index.tools if known not in base.overlay}
    taken |= {known.casefold(): known for known in base.overlay if known != entry.id}
    other = taken.get(entry.id.casefold())
    if other is not None:
        message = f"{entry.id} is taken: the catalog has {other}"
        raise OverlayError("tool-exists", message, "choose another id, or sync the catalog")
    catalogs.put_bodies(connection, [entry])
    tools = {**base.index.tools, entry.id: entry.row}
    return _activate_changed(connection, base, tools, {*base.overlay, entry.id}, [entry.id])


def remove(connection: Connection, domain: str, tool_id: str) -> str:
    """Removes a tool from the overlay; returns the fingerprint active then."""
    base = _active(connection, domain)
    if tool_id not in base.overlay:
        of_catalog = tool_id in base.index.tools
        message = (
            f"{tool_id} is part of the catalog itself, not of its overlay"
            if of_catalog
            else f"no tool {tool_id[:300]!r} is in the overlay"
        )
        code = "not-overlay" if of_catalog else "unknown-tool"
        raise OverlayError(code, message, "only added tools can be removed")
    tools = {known: row for known, row in base.index.tools.items() if known != tool_id}
    return _activate_changed(connection, base, tools, base.overlay - {tool_id}, [tool_id])


def carry(connection: Connection, before: str | None, onto: str) -> str:
    """Returns the loaded catalog with the overlay of the one before, which is created if needed.

    A tool that the loaded catalog has itself is not replaced.
    """
    if before is None or before == onto:
        return onto
    earlier = catalogs.get_catalog(connection, before).overlay
    if not earlier:
        return onto
    former, base = _base(connection, before), _base(connection, onto)
    carried = [name for name in earlier if name not in base.index.tools]
    if not carried:
        return onto
    tools = {**base.index.tools, **{name: former.index.tools[name] for name in carried}}
    return _derive(connection, base, tools, carried, carried)


def _active(connection: Connection, domain: str) -> _Base:
    fingerprint = catalogs.active(connection, domain)
    if fingerprint is None:
        message = f"no catalog of domain {domain} is loaded"
        raise OverlayError("no-catalog", message, "load a catalog first")
    return _base(connection, fingerprint)


def _base(connection: Connection, fingerprint: str) -> _Base:
    index = open_index(catalogs.index_blob(connection, fingerprint))
    return _Base(
        fingerprint, index, frozenset(catalogs.get_catalog(connection, fingerprint).overlay)
    )


def _activate_changed(
    connection: Connection,
    base: _Base,
    tools: dict[str, ToolRow],
    overlay: Collection[str],
    changed: list[str],
) -> str:
    fingerprint = _derive(connection, base, tools, overlay, changed)
    if fingerprint != base.fingerprint:
        catalogs.activate(connection, base.index.header.domain, fingerprint)
    return fingerprint


def _derive(
    connection: Connection,
    base: _Base,
    tools: dict[str, ToolRow],
    overlay: Iterable[str],
    changed: list[str],
) -> str:
    """Returns the catalog of these tools and the other contents of the base, stored unless it
    exists.
    """
    index = replace(base.index, tools=dict(sorted(tools.items())))
    fingerprint = index_fingerprint(index)
    ids = sorted(overlay)
    values: dict[str, Any] = {
        "overlay": orjson.dumps(ids).decode() if ids else None,
        "position": catalogs.next_position(connection),
    }
    mine = CATALOGS.c.fingerprint == fingerprint
    if connection.execute(update(CATALOGS).where(mine).values(values)).rowcount:
        return fingerprint
    header = select(CATALOGS.c.header).where(CATALOGS.c.fingerprint == base.fingerprint)
    values |= {
        "fingerprint": fingerprint,
        "domain": index.header.domain,
        "header": connection.execute(header).scalar_one(),
        "tools": len(index.tools),
        "credentials": len(index.credentials),
        "index_blob": pack_index(index),
        "is_reference": False,
        "loaded_at": utc_now(),
    }
    connection.execute(insert(CATALOGS).values(values))
    _link(connection, base.fingerprint, fingerprint, index, changed)
    return fingerprint


def _link(
    connection: Connection, base: str, fingerprint: str, index: Index, changed: list[str]
) -> None:
    table = CATALOG_ENTRIES.c
    same = (table.catalog == base, or_(table.kind != "tool", table.id.not_in(changed)))
    copied = select(literal(fingerprint), table.kind, table.id, table.entry).where(*same)
    columns = ["catalog", "kind", "id", "entry"]
    connection.execute(insert(CATALOG_ENTRIES).from_select(columns, copied))
    rows = [
        {"catalog": fingerprint, "kind": "tool", "id": name, "entry": index.tools[name].fingerprint}
        for name in changed
        if name in index.tools
    ]
    if rows:
        connection.execute(insert(CATALOG_ENTRIES), rows)
