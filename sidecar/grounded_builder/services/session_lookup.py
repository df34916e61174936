"""Finds stored sessions by kind and id, and defines the error of a step that cannot be taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grounded_builder.storage.sessions import Session, SessionStore
from grounded_builder.storage.store import Store

FaultKind = Literal[
    "unknown-session", "session-ended", "stale-draft", "question-open", "no-question"
]

# The length of a ULID as text, in characters.
_ULID_LENGTH = 26


class ConversationError(Exception):
    """A step that cannot be taken; ``help`` gives the alternative."""

    def __init__(self, kind: FaultKind, message: str, help_text: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.help = help_text


@dataclass(frozen=True, slots=True)
class SessionKind:
    """A kind of session: its noun, its HTTP path, and the mark of its state.

    ``key`` is the field of an answer that has the id.
    """

    noun: str
    path: str
    key: str
    mark: str | None = None


CONVERSATION = SessionKind("conversation", "/v1/sessions/{id}", "session")
ROUTE = SessionKind("route", "/v1/route/{id}", "route", "route")


def session_store(store: Store) -> SessionStore:
    """Returns the session store of a store."""
    settings = store.settings
    return SessionStore(store.engine, settings.session_seconds, settings.max_stored_runs)


def find_session(store: Store, session_id: str, kind: SessionKind) -> Session:
    """Returns a session of a kind; raises ConversationError where no session has this id."""
    session = session_store(store).get(session_id) if len(session_id) <= _ULID_LENGTH else None
    if session is None or session.state.get("kind") != kind.mark:
        message = f"there is no {kind.noun} {session_id[:40]!r}, or it expired"
        raise ConversationError("unknown-session", message, "begin a new one")
    return session


def get_session(store: Store, session_id: str) -> tuple[Session, str]:
    """Returns a session and the name of its domain; raises ConversationError without one."""
    session = find_session(store, session_id, CONVERSATION)
    return session, str(session.state["domain"])
