"""Conversations between two requests: any replica can take the next reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, delete, insert, select, update

from grounded_builder.storage import runs
from grounded_builder.storage.database import reading, writing
from grounded_builder.storage.instant import utc_now
from grounded_builder.storage.jsontext import dumped, loaded
from grounded_builder.storage.schema import SESSIONS

# How long an expired conversation stays, unseen: a clock that jumps ahead by a day and back
# takes none away.
_KEPT_S = 2 * 86_400.0


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation as kept: its state and the last answer given, as JSON values.

    ``revision`` grows with every change; a change names the one it was made from.
    """

    id: str
    revision: int
    talk: Mapping[str, Any]
    answer: Mapping[str, Any]
    is_open: bool


class SessionBook:
    """The sessions of one database, each beside its run; every method is one transaction."""

    def __init__(self, engine: Engine, lifetime_s: int, kept_runs: int) -> None:
        self._engine = engine
        self._lifetime_s = lifetime_s
        self._kept_runs = kept_runs

    def open(
        self,
        run: runs.NewRun,
        talk: Mapping[str, Any],
        answer: Mapping[str, Any],
        drafts: tuple[runs.Draft, ...] = (),
        ending: runs.Ending | None = None,
    ) -> None:
        """Keep a new conversation, perhaps one that ended as it began."""
        values = {"id": run.id, "revision": 1, "is_open": ending is None}
        texts = {"talk": dumped(talk), "answer": dumped(answer)}
        with writing(self._engine) as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at < utc_now(-_KEPT_S)))
            runs.begin(connection, run, self._kept_runs)
            connection.execute(
                insert(SESSIONS).values(**values, **texts, expires_at=self._expiry())
            )
            for draft in drafts:
                runs.add_draft(connection, run.id, draft)
            if ending is not None:
                runs.end(connection, run.id, ending)

    def get(self, session_id: str) -> Session | None:
        """A conversation; None when there is none, or it expired."""
        statement = select(SESSIONS).where(
            SESSIONS.c.id == session_id, SESSIONS.c.expires_at >= utc_now()
        )
        with reading(self._engine) as connection:
            row = connection.execute(statement).first()
        if row is None:
            return None
        return Session(row.id, row.revision, loaded(row.talk), loaded(row.answer), row.is_open)

    def move(
        self,
        session: Session,
        talk: Mapping[str, Any],
        answer: Mapping[str, Any],
        drafts: tuple[runs.Draft, ...],
        ending: runs.Ending | None,
    ) -> bool:
        """Take a conversation one step on; False when somebody else has done so meanwhile."""
        values = {
            "revision": session.revision + 1,
            "talk": dumped(talk),
            "answer": dumped(answer),
            "is_open": ending is None,
            "expires_at": self._expiry(),
        }
        unchanged = (SESSIONS.c.id == session.id, SESSIONS.c.revision == session.revision)
        with writing(self._engine) as connection:
            moved = update(SESSIONS).where(*unchanged, SESSIONS.c.is_open).values(values)
            if connection.execute(moved).rowcount != 1:
                return False
            for draft in drafts:
                runs.add_draft(connection, session.id, draft)
            if ending is not None:
                runs.end(connection, session.id, ending)
        return True

    def _expiry(self) -> str:
        return utc_now(self._lifetime_s)
