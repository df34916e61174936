"""Stores decisions about names in a database table; the last entry for a name applies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Engine, Row, Select, func, insert, select
from sqlalchemy.exc import IntegrityError

from grounded_builder.catalog.name_decisions import LONGEST_NAME, NameDecisions, decision_key
from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.schema import ALIAS_DECISIONS
from grounded_builder.storage.stored_text import load_json, storable
from grounded_builder.storage.timestamps import utc_now

Verb = Literal["alias", "none", "rejected", "dropped"]


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about a name, with its author, time (UTC) and evidence.

    ``alias``: it means ``tool``. ``none``: there is no such tool, and ``instead`` names a
    replacement, if any. ``rejected``: it is not proposed again. ``sequence`` is its position in the
    journal.
    """

    name: str
    decision: Verb
    tool: str | None = None
    instead: str | None = None
    evidence: Mapping[str, Any] | None = None
    by: str = ""
    at: str = ""
    sequence: int = 0

    @property
    def learnt(self) -> NameDecisions | None:
        """The decision as the resolver uses it."""
        if self.decision == "alias":
            return NameDecisions(self.tool)
        return NameDecisions(None, self.instead) if self.decision == "none" else None

    def says_the_same(self, other: Decision | None) -> bool:
        """Returns whether another decision has the same effect."""
        mine = (self.decision, self.tool, self.instead)
        return other is not None and mine == (other.decision, other.tool, other.instead)


class DecidedMeanwhileError(Exception):
    """Another decision about the name was taken since it was read."""


class AliasStore:
    """The decisions of one domain; every method is one transaction."""

    def __init__(self, engine: Engine, domain: str) -> None:
        self._engine = engine
        self._domain = domain

    def current(self) -> tuple[Decision, ...]:
        """Returns the decisions in force, by name."""
        with begin_read(self._engine) as connection:
            rows = connection.execute(_last(self._domain)).all()
        decisions = [_decision(row) for row in rows if row.decision != "dropped"]
        return tuple(
            sorted(decisions, key=lambda decision: (decision.name.casefold(), decision.name))
        )

    def last(self, name: str) -> Decision | None:
        """Returns the last decision about a name, also one that was removed."""
        with begin_read(self._engine) as connection:
            return _last_of(connection, self._domain, decision_key(name))

    def decide(self, decision: Decision, seen: Decision | None) -> Decision:
        """Writes a decision; raises DecidedMeanwhileError when ``seen`` is no longer the last one.

        A decision equal to the one in force is not written again.
        """
        key = decision_key(decision.name)
        try:
            with begin_write(self._engine) as connection:
                before = _last_of(connection, self._domain, key)
                if before is not None and decision.says_the_same(before):
                    return before
                if (before and before.sequence) != (seen and seen.sequence):
                    raise DecidedMeanwhileError(decision.name)
                connection.execute(self._insert_decision(connection, decision, key))
                made = _last_of(connection, self._domain, key)
        except IntegrityError as error:  # pragma: no cover - SQLite has one writer at a time
            raise DecidedMeanwhileError(decision.name) from error
        assert made is not None  # noqa: S101 - it was just written
        return made

    def _insert_decision(self, connection: Connection, decision: Decision, key: str) -> Any:
        mine = (ALIAS_DECISIONS.c.domain == self._domain, ALIAS_DECISIONS.c.name_key == key)
        count = select(func.max(ALIAS_DECISIONS.c.number)).where(*mine)
        return insert(ALIAS_DECISIONS).values(
            domain=self._domain,
            name_key=key,
            number=int(connection.execute(count).scalar() or 0) + 1,
            name=storable(decision.name, LONGEST_NAME),
            decision=decision.decision,
            tool=decision.tool,
            instead=decision.instead,
            evidence=dump_json(decision.evidence or {}),
            decided_by=storable(decision.by, LONGEST_NAME),
            at=utc_now(),
        )


def learnt(connection: Connection, domain: str) -> dict[str, NameDecisions]:
    """Returns what the resolver takes from the decisions of a domain, by the key of the name."""
    decisions_by_key: dict[str, NameDecisions] = {}
    for row in connection.execute(_last(domain)):
        known = _decision(row).learnt
        if known is not None:
            decisions_by_key[row.name_key] = known
    return decisions_by_key


def marks(connection: Connection) -> dict[str, int]:
    """Returns a number for every domain that grows with each decision."""
    last = func.max(ALIAS_DECISIONS.c.sequence)
    grouped = select(ALIAS_DECISIONS.c.domain, last).group_by(ALIAS_DECISIONS.c.domain)
    return {row[0]: row[1] for row in connection.execute(grouped)}


def _last(domain: str) -> Select[Any]:
    last = (
        select(func.max(ALIAS_DECISIONS.c.sequence))
        .where(ALIAS_DECISIONS.c.domain == domain)
        .group_by(ALIAS_DECISIONS.c.name_key)
    )
    return select(ALIAS_DECISIONS).where(ALIAS_DECISIONS.c.sequence.in_(last))


def _last_of(connection: Connection, domain: str, key: str) -> Decision | None:
    row = connection.execute(_last(domain).where(ALIAS_DECISIONS.c.name_key == key)).first()
    return None if row is None else _decision(row)


def _decision(row: Row[Any]) -> Decision:
    return Decision(
        name=row.name,
        decision=row.decision,
        tool=row.tool,
        instead=row.instead,
        evidence=load_json(row.evidence),
        by=row.decided_by,
        at=row.at,
        sequence=row.sequence,
    )
