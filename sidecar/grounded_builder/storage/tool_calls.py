"""Stores routed calls with their results, and returns the accepted ones and statistics."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, func, insert, select
from sqlalchemy.exc import IntegrityError

from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.routing.state import Call
from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.schema import ROUTED_CALLS
from grounded_builder.storage.stored_text import clean_json, clean_text, load_json, storable
from grounded_builder.storage.timestamps import utc_now

_NAME, _TEXT, _ARGUMENTS = 300, 500, 4_000
_MOST_TOOLS = 200


@dataclass(frozen=True, slots=True)
class Accepted:
    """A call that succeeded: its request, and the name by which it was drafted."""

    request: str
    tool: str
    definition: str
    drafted: str
    found_by: str
    arguments: Mapping[str, Any]


class ToolCallStore:
    """The routed calls of one database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def note(
        self, run: str, request: str, calls: Iterable[Call], definitions: Mapping[str, str]
    ) -> None:
        """Records the results of the calls of a run; ``definitions`` are fingerprints by tool."""
        at = utc_now()
        asked = clean_text(request, _TEXT)
        rows = [
            {
                "run": run,
                "number": number,
                "tool": storable(call.tool, _NAME),
                "definition": definitions.get(call.tool),
                "drafted": storable(call.drafted, _NAME),
                "found_by": call.found_by,
                "state": call.state,
                "error_type": storable(str((call.error or {}).get("error_type", "")), 64) or None,
                "message": clean_text(str((call.error or {}).get("error_message", "")), _TEXT),
                "request": asked,
                "arguments": _truncate(call.sent if call.sent is not None else call.arguments),
                "at": at,
            }
            for number, call in enumerate(calls, 1)
        ]
        if rows:
            # The oldest run may have been dropped by now, with its calls.
            with suppress(IntegrityError), begin_write(self._engine) as connection:
                connection.execute(insert(ROUTED_CALLS), rows)

    def list_accepted(self, tools: Collection[str], limit: int) -> tuple[Accepted, ...]:
        """Returns the newest successful calls, of these tools unless they are very many."""
        columns = ROUTED_CALLS.c
        statement = select(ROUTED_CALLS).where(columns.state == "ok")
        if len(tools) <= _MOST_TOOLS:
            statement = statement.where(columns.tool.in_(sorted(tools)))
        statement = statement.order_by(columns.at.desc(), columns.run.desc(), columns.number).limit(
            limit
        )
        with begin_read(self._engine) as connection:
            return tuple(
                Accepted(
                    row.request,
                    row.tool,
                    row.definition or "",
                    row.drafted,
                    row.found_by,
                    load_json(row.arguments),
                )
                for row in connection.execute(statement)
            )

    def statistics(self, limit: int) -> dict[str, Any]:
        """Returns how calls ended, the most frequent failures, and the fallbacks used."""
        columns, count = ROUTED_CALLS.c, func.count().label("count")
        last = func.max(columns.at).label("last_at")
        states = select(columns.state, count).group_by(columns.state).order_by(columns.state)
        failures = (
            select(
                columns.tool,
                columns.error_type,
                func.max(columns.message).label("message"),
                count,
                last,
            )
            .where(columns.state == "failed", columns.error_type != "ToolNotFound")
            .group_by(columns.tool, columns.error_type)
            .order_by(count.desc(), columns.tool, columns.error_type)
            .limit(limit)
        )
        fallbacks = (
            select(columns.drafted, columns.tool, columns.found_by, count, last)
            .where(columns.found_by.in_(("capability", "name")), columns.drafted != "")
            .group_by(columns.drafted, columns.tool, columns.found_by)
            .order_by(count.desc(), columns.drafted, columns.tool)
            .limit(limit)
        )
        with begin_read(self._engine) as connection:
            return {
                "calls": {row.state: row.count for row in connection.execute(states)},
                "failures": [dict(row) for row in connection.execute(failures).mappings()],
                "fallbacks": [dict(row) for row in connection.execute(fallbacks).mappings()],
            }


def _truncate(arguments: Mapping[str, Any]) -> str:
    text = clean_json(dict(arguments))
    return text if len(text) <= _ARGUMENTS else dump_json({})
