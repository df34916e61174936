"""Counts names in drafts that matched no tool or none exactly, and their later replacements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    RowMapping,
    Table,
    Update,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from grounded_builder.catalog.name_decisions import decision_key
from grounded_builder.compiler.name_stats import Kind, NameOccurrence
from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.schema import NAME_CORRECTIONS, NAME_COUNTS, NAME_DAYS
from grounded_builder.storage.stored_text import load_json, storable
from grounded_builder.storage.timestamps import utc_now

# Names come from models and from outside: the newest of each domain are stored.
MOST_NAMES = 5_000
_MOST_DAYS = 50_000
_DAY = len("2026-01-01")
_SAMPLES = 5
_RUNS = 20
_TOOL = 300
_AT_ONCE = 100

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class NameCount:
    """How often a name was seen that is not exactly a tool's; `samples` are ids used beside it."""

    name: str
    kind: Kind
    tool: str
    count: int
    last_seen: str
    samples: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class NameCorrection:
    """A tool that later drafts of ``runs`` (the newest) used for a name, in ``count`` runs."""

    name: str
    tool: str
    count: int
    runs: tuple[str, ...]


class NameStatsStore:
    """The name counts of one domain; every method is one transaction."""

    def __init__(self, engine: Engine, domain: str) -> None:
        self._engine = engine
        self._domain = domain

    def add(self, sightings: Iterable[NameOccurrence]) -> None:
        """Counts names that were met."""
        counted = counts_by_name(sightings)
        if counted:
            with begin_write(self._engine) as connection:
                add(connection, self._domain, counted)

    def counts(self, limit: int = 100, kind: Kind | None = None) -> tuple[NameCount, ...]:
        """Returns the most frequent names, of one kind or all."""
        order = (NAME_COUNTS.c.count.desc(), NAME_COUNTS.c.last_seen.desc(), NAME_COUNTS.c.name_key)
        where = [NAME_COUNTS.c.domain == self._domain]
        if kind is not None:
            where.append(NAME_COUNTS.c.kind == kind)
        with begin_read(self._engine) as connection:
            statement = select(NAME_COUNTS).where(*where).order_by(*order).limit(limit)
            return tuple(_count(row) for row in connection.execute(statement).mappings())

    def counts_of(self, name: str) -> tuple[NameCount, ...]:
        """Returns the counts of one name, in all its spellings."""
        where = (NAME_COUNTS.c.domain == self._domain, NAME_COUNTS.c.name_key == decision_key(name))
        with begin_read(self._engine) as connection:
            statement = select(NAME_COUNTS).where(*where).order_by(NAME_COUNTS.c.kind)
            return tuple(_count(row) for row in connection.execute(statement).mappings())

    def corrections(self) -> tuple[NameCorrection, ...]:
        """Returns the tools that later drafts used for unresolved names, most runs first."""
        where = NAME_CORRECTIONS.c.domain == self._domain
        statement = select(NAME_CORRECTIONS).where(where).order_by(NAME_CORRECTIONS.c.run.desc())
        grouped: dict[tuple[str, str], tuple[str, list[str]]] = {}
        with begin_read(self._engine) as connection:
            for row in connection.execute(statement):
                grouped.setdefault((row.name_key, row.tool), (row.name, []))[1].append(row.run)
        name_corrections = [
            NameCorrection(name, tool, len(runs), tuple(runs[:_RUNS]))
            for (_, tool), (name, runs) in grouped.items()
        ]
        return tuple(
            sorted(
                name_corrections,
                key=lambda correction: (-correction.count, correction.name, correction.tool),
            )
        )


def counts_by_name(sightings: Iterable[NameOccurrence]) -> Counter[NameOccurrence]:
    """Returns how often each name occurs, without the secrets in it; the counts of a Counter are
    used.
    """
    # The key of a name has no punctuation, which is needed to recognize a secret.
    counts: Counter[NameOccurrence] = Counter()
    for occurrence, amount in Counter(sightings).items():
        counts[replace(occurrence, name=without_secrets(occurrence.name))] += amount
    return counts


def add(connection: Connection, domain: str, counted: Mapping[NameOccurrence, int]) -> None:
    """Adds to the counts of names without secrets; the oldest beyond the bound go.

    The statements are for many names at once: a thread that executes many short statements keeps
    the event loop of the server waiting.
    """
    now = utc_now()
    grown = _Counted(domain, counted)
    is_grown = False
    for table, where in ((NAME_COUNTS, ()), (NAME_DAYS, (NAME_DAYS.c.day == now[:_DAY],))):
        known = grown.known_rows(connection, table, where)
        fields = grown.fields(table, known, now)
        fresh = [row for key, row in fields.items() if key not in known]
        if fresh:
            connection.execute(insert(table), fresh)
            is_grown = True
        changed = [
            {f"to_{name}": value for name, value in row.items()}
            for key, row in fields.items()
            if key in known
        ]
        if changed:
            connection.execute(_growth_of(table), changed)
    if is_grown:
        _drop_oldest(connection, NAME_COUNTS, domain, "last_seen", MOST_NAMES)
        _drop_oldest(connection, NAME_DAYS, domain, "day", _MOST_DAYS)


class _Counted:
    """Names that were counted, by their keys in the tables: name key, kind and tool."""

    def __init__(self, domain: str, counted: Mapping[NameOccurrence, int]) -> None:
        self._domain = domain
        self._names: dict[_Key, str] = {}
        self._beside: dict[_Key, list[tuple[str, ...]]] = {}
        self._counts: Counter[_Key] = Counter()
        for occurrence, amount in counted.items():
            name_key = decision_key(occurrence.name)
            if name_key:
                key = (name_key, occurrence.kind, occurrence.tool[:_TOOL])
                self._names.setdefault(key, storable(occurrence.name, 200))
                self._beside.setdefault(key, []).append(occurrence.beside)
                self._counts[key] += amount

    def known_rows(
        self, connection: Connection, table: Table, where: Iterable[ColumnElement[bool]]
    ) -> dict[_Key, list[list[str]]]:
        """Returns the samples of the rows that a table has for the names, [] where it has none."""
        columns = [table.c.name_key, table.c.kind, table.c.tool]
        samples = [table.c.samples] if "samples" in table.c else []
        name_keys = list(dict.fromkeys(name_key for name_key, _, _ in self._names))
        known: dict[_Key, list[list[str]]] = {}
        for start in range(0, len(name_keys), _AT_ONCE):
            statement = select(*columns, *samples).where(
                table.c.domain == self._domain,
                table.c.name_key.in_(name_keys[start : start + _AT_ONCE]),
                *where,
            )
            for row in connection.execute(statement):
                key = (row.name_key, row.kind, row.tool)
                if key in self._names:
                    known[key] = load_json(row.samples) if samples else []
        return known

    def fields(
        self, table: Table, known: Mapping[_Key, list[list[str]]], now: str
    ) -> dict[_Key, dict[str, Any]]:
        """Returns what the rows of a table get; the count is what is added."""
        rows: dict[_Key, dict[str, Any]] = {}
        for key, name in self._names.items():
            row: dict[str, Any] = {"domain": self._domain, "name": name, "count": self._counts[key]}
            row |= dict(zip(("name_key", "kind", "tool"), key, strict=True))
            if table is NAME_DAYS:
                row["day"] = now[:_DAY]
            else:
                samples = [*known.get(key, ())]
                for beside in self._beside[key]:
                    _add_sample(samples, beside)
                row |= {"samples": dump_json(samples), "last_seen": now}
            rows[key] = row
        return rows


def _growth_of(table: Table) -> Update:
    """Returns the statement that adds to the counts of rows; its parameters begin with ``to_``."""
    same = [column == bindparam(f"to_{column.name}") for column in table.primary_key.columns]
    values: dict[str, Any] = {"count": table.c.count + bindparam("to_count")}
    if table is NAME_COUNTS:
        values |= {name: bindparam(f"to_{name}") for name in ("samples", "last_seen")}
    return update(table).where(*same).values(values)


def note_corrections(
    connection: Connection, domain: str, run: str, pairs: Iterable[tuple[str, str]]
) -> None:
    """Records which tools a run used for names that had been unresolved in it."""
    clean = [(without_secrets(name), tool) for name, tool in pairs]
    by_key = {(decision_key(name), tool[:_TOOL]): name for name, tool in clean}
    rows = [
        {
            "domain": domain,
            "name_key": key,
            "tool": tool,
            "run": run,
            "name": storable(name, 200),
            "at": utc_now(),
        }
        for (key, tool), name in by_key.items()
        if key
    ]
    if rows:
        connection.execute(insert(NAME_CORRECTIONS), rows)
        _drop_oldest(connection, NAME_CORRECTIONS, domain, "at", MOST_NAMES)


def _count(row: RowMapping) -> NameCount:
    return NameCount(
        name=row["name"],
        kind=row["kind"],
        tool=row["tool"],
        count=row["count"],
        last_seen=row["last_seen"],
        samples=tuple(tuple(sample) for sample in load_json(row["samples"])),
    )


def _add_sample(samples: list[list[str]], beside: tuple[str, ...]) -> None:
    """Adds a sample, unless it is known or there are enough."""
    if beside and len(samples) < _SAMPLES and list(beside) not in samples:
        samples.append(list(beside))


def _drop_oldest(connection: Connection, table: Table, domain: str, age: str, most: int) -> None:
    """Drops the oldest rows beyond the limit."""
    where = table.c.domain == domain
    count = connection.execute(select(func.count()).select_from(table).where(where)).scalar_one()
    if count > most:
        edge = select(table.c[age]).where(where).order_by(table.c[age].desc())
        oldest_kept = connection.execute(edge.offset(most - 1).limit(1)).scalar()
        connection.execute(delete(table).where(where, table.c[age] < oldest_kept))
