"""Stores the state and last answer of sessions, so that any replica can take the next reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select, update

from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.storage import runs
from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.encryption import seal, unseal
from grounded_builder.storage.schema import SESSIONS
from grounded_builder.storage.stored_text import CleanText, clean_json, load_json
from grounded_builder.storage.timestamps import utc_now

# How long an expired conversation stays stored: a clock that jumps ahead by a day and back
# deletes none.
_KEPT_S = 2 * 86_400.0


_SEALED = "sealed"
_NOT_KEPT = (
    "Its artifact holds what looks like a secret, which is not kept: the answer that ended the "
    "conversation has it with its receipt; use a credential instead."
)


@dataclass(frozen=True, slots=True)
class Session:
    """A stored conversation: its state and the last answer, as JSON values.

    ``revision`` grows with every change; a change names the revision it is based on.
    """

    id: str
    revision: int
    state: Mapping[str, Any]
    answer: Mapping[str, Any]
    is_open: bool


class SessionStore:
    """The sessions of one database, each with its run; every method is one transaction."""

    def __init__(self, engine: Engine, lifetime_s: int, kept_runs: int) -> None:
        self._engine = engine
        self._lifetime_s = lifetime_s
        self._kept_runs = kept_runs

    def open(
        self,
        run: runs.NewRun,
        state: Mapping[str, Any],
        answer: Mapping[str, Any],
        drafts: tuple[runs.Draft, ...] = (),
        ending: runs.Ending | None = None,
    ) -> None:
        """Stores a new conversation, which may have ended already."""
        values = {"id": run.id, "revision": 1, "is_open": ending is None}
        clean, document = _stored_state(state)
        texts = {"answer": clean_json(_stored_answer(answer))}
        row = runs.row_of_run(run)
        rows = [runs.row_of_draft(draft) for draft in drafts]
        end = None if ending is None else runs.row_of_ending(ending)
        with begin_write(self._engine) as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_at < utc_now(-_KEPT_S)))
            runs.begin(connection, row, self._kept_runs)
            texts["talk"] = _state_text(connection, clean, document)
            connection.execute(
                insert(SESSIONS).values(**values, **texts, expires_at=self._expiry())
            )
            for draft in rows:
                runs.add_draft(connection, run.id, draft)
            if end is not None:
                runs.end(connection, run.id, end)

    def get(self, session_id: str) -> Session | None:
        """Returns a conversation; None when there is none, or it expired."""
        statement = select(SESSIONS).where(
            SESSIONS.c.id == session_id, SESSIONS.c.expires_at >= utc_now()
        )
        with begin_read(self._engine) as connection:
            row = connection.execute(statement).first()
            if row is None:
                return None
            state = _restored_state(connection, load_json(row.talk))
        return Session(row.id, row.revision, state, load_json(row.answer), row.is_open)

    def move(
        self,
        session: Session,
        state: Mapping[str, Any],
        answer: Mapping[str, Any],
        drafts: tuple[runs.Draft, ...],
        ending: runs.Ending | None,
    ) -> bool:
        """Stores the next step of a conversation; returns False when another step was stored
        meanwhile.
        """
        clean, document = _stored_state(state)
        rows = [runs.row_of_draft(draft) for draft in drafts]
        end = None if ending is None else runs.row_of_ending(ending)
        values = {
            "revision": session.revision + 1,
            "answer": clean_json(_stored_answer(answer)),
            "is_open": ending is None,
            "expires_at": self._expiry(),
        }
        unchanged = (SESSIONS.c.id == session.id, SESSIONS.c.revision == session.revision)
        with begin_write(self._engine) as connection:
            values["talk"] = _state_text(connection, clean, document)
            moved = update(SESSIONS).where(*unchanged, SESSIONS.c.is_open).values(values)
            if connection.execute(moved).rowcount != 1:
                return False
            for draft in rows:
                runs.add_draft(connection, session.id, draft)
            if end is not None:
                runs.end(connection, session.id, end)
        return True

    def _expiry(self) -> str:
        return utc_now(self._lifetime_s)


def _stored_state(state: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """Returns the state without secrets, and separately the edited document where it has secrets.

    The document must keep them and is sealed.
    """
    document = state.get("edit")
    if document is None:
        return dict(without_secrets(state)), None
    clean: dict[str, Any] = without_secrets({**state, "edit": None})
    if without_secrets(document) is document:
        return {**clean, "edit": document}, None
    return clean, document


def _state_text(connection: Connection, clean: dict[str, Any], document: Any) -> CleanText:
    if document is not None:
        clean = {**clean, "edit": {_SEALED: seal(connection, document)}}
    return CleanText(dump_json(clean))


def _restored_state(connection: Connection, state: Mapping[str, Any]) -> Mapping[str, Any]:
    document = state.get("edit")
    if not isinstance(document, dict) or set(document) != {_SEALED}:
        return state
    return {**state, "edit": unseal(connection, document[_SEALED])}


def _stored_answer(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the answer to store; without its secrets an artifact differs, and has no receipt."""
    artifact = answer.get("artifact")
    clean = without_secrets(artifact)
    if clean is artifact or clean == artifact:
        return answer
    summary = f"{answer.get('summary') or ''} {_NOT_KEPT}".strip()
    return {**answer, "artifact": clean, "receipt": None, "summary": summary}
