"""Computes statistics of a period: unresolved names, corrected names, outcomes of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from grounded_builder.storage.database import begin_read
from grounded_builder.storage.schema import NAME_DAYS, RUNS

_DAY = len("2026-01-01")
_OPEN = "open"


@dataclass(frozen=True, slots=True)
class NameTotal:
    """A name, what became of it, the tool that replaced it, and how often."""

    name: str
    kind: str
    tool: str
    count: int


@dataclass(frozen=True, slots=True)
class Day:
    """One day (UTC): names by what became of them, and runs by their outcome."""

    day: str
    names: Mapping[str, int]
    runs: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Analytics:
    """The names and runs from ``since`` to ``until``, days of UTC, both included.

    ``outcomes`` are of runs; ``open`` counts abandoned runs. ``reasons`` are why runs ended.
    """

    domain: str
    since: str
    until: str
    unresolved: tuple[NameTotal, ...]
    corrected: tuple[NameTotal, ...]
    outcomes: Mapping[str, int]
    reasons: Mapping[str, int]
    drafters: Mapping[str, Mapping[str, int]]
    days: tuple[Day, ...]

    def as_json(self) -> dict[str, Any]:
        """Returns the values as plain JSON."""
        return asdict(self)


def analytics(engine: Engine, domain: str, since: str, until: str, limit: int) -> Analytics:
    """Returns the analytics of a period of a domain, with the ``limit`` most frequent names."""
    with begin_read(engine) as connection:
        runs = _runs(connection, domain, since, until)
        unresolved = _names(connection, domain, since, until, ("unknown", "ambiguous"), limit)
        corrected = _names(connection, domain, since, until, ("corrected",), limit)
        met = _by_day(connection, domain, since, until)
    outcomes: dict[str, int] = {}
    reasons: dict[str, int] = {}
    drafters: dict[str, dict[str, int]] = {}
    days: dict[str, dict[str, int]] = {}
    for day, outcome, reason, drafter, count in runs:
        ended = outcome or _OPEN
        for table in (outcomes, drafters.setdefault(drafter, {}), days.setdefault(day, {})):
            table[ended] = table.get(ended, 0) + count
        if reason:
            reasons[reason] = reasons.get(reason, 0) + count
    by_day = tuple(Day(day, met.get(day, {}), days.get(day, {})) for day in sorted({*met, *days}))
    return Analytics(
        domain, since, until, unresolved, corrected, outcomes, reasons, drafters, by_day
    )


def _runs(
    connection: Connection, domain: str, since: str, until: str
) -> list[tuple[str, str | None, str | None, str, int]]:
    day = func.substr(RUNS.c.started_at, 1, _DAY)
    group = (day, RUNS.c.outcome, RUNS.c.reason, RUNS.c.drafter)
    statement = (
        select(*group, func.count())
        .where(RUNS.c.domain == domain, day >= since, day <= until)
        .group_by(*group)
        .order_by(*group)
    )
    return [(row[0], row[1], row[2], row[3], int(row[4])) for row in connection.execute(statement)]


def _names(
    connection: Connection,
    domain: str,
    since: str,
    until: str,
    kinds: tuple[str, ...],
    limit: int,
) -> tuple[NameTotal, ...]:
    total = func.sum(NAME_DAYS.c.count)
    statement = (
        select(func.max(NAME_DAYS.c.name), NAME_DAYS.c.kind, NAME_DAYS.c.tool, total)
        .where(
            NAME_DAYS.c.domain == domain,
            NAME_DAYS.c.day >= since,
            NAME_DAYS.c.day <= until,
            NAME_DAYS.c.kind.in_(kinds),
        )
        .group_by(NAME_DAYS.c.name_key, NAME_DAYS.c.kind, NAME_DAYS.c.tool)
        .order_by(total.desc(), NAME_DAYS.c.name_key, NAME_DAYS.c.kind, NAME_DAYS.c.tool)
        .limit(limit)
    )
    return tuple(
        NameTotal(row[0], row[1], row[2], int(row[3])) for row in connection.execute(statement)
    )


def _by_day(
    connection: Connection, domain: str, since: str, until: str
) -> dict[str, dict[str, int]]:
    group = (NAME_DAYS.c.day, NAME_DAYS.c.kind)
    statement = (
        select(*group, func.sum(NAME_DAYS.c.count))
        .where(NAME_DAYS.c.domain == domain, NAME_DAYS.c.day >= since, NAME_DAYS.c.day <= until)
        .group_by(*group)
        .order_by(*group)
    )
    counts_by_day: dict[str, dict[str, int]] = {}
    for day, kind, count in connection.execute(statement):
        counts_by_day.setdefault(day, {})[kind] = int(count)
    return counts_by_day
