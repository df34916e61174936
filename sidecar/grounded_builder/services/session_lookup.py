"""Find conversations that are kept, and say why a step of one cannot be taken."""

from __future__ import annotations

from typing import Literal

from grounded_builder.drafting.conversation import Conversation
from grounded_builder.services.conversation_record import DraftRequest, from_state
from grounded_builder.storage.sessions import Session, SessionStore
from grounded_builder.storage.store import Store

FaultKind = Literal["unknown-session", "session-ended", "stale-draft"]

_ULID = 26


class ConversationError(Exception):
    """A step that cannot be taken; ``help`` says what to do instead."""

    def __init__(self, kind: FaultKind, message: str, help_text: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.help = help_text


def opened(session: Session) -> tuple[DraftRequest, Conversation]:
    """What an open conversation is about and how far it is; ConversationError when it ended."""
    if not session.is_open:
        message = f"the conversation has ended: {session.answer.get('outcome')}"
        raise ConversationError("session-ended", message, "begin another one")
    return from_state(session)


def session_store(store: Store) -> SessionStore:
    """The sessions in a store."""
    settings = store.settings
    return SessionStore(store.engine, settings.session_seconds, settings.max_stored_runs)


def get_session(store: Store, session_id: str) -> tuple[Session, str]:
    """A kept conversation and the name of its domain; ConversationError when there is none."""
    session = session_store(store).get(session_id) if len(session_id) <= _ULID else None
    # What is kept of other kinds is asked for elsewhere.
    if session is None or session.talk.get("kind") == "route":
        message = f"there is no conversation {session_id[:40]!r}, or it expired"
        raise ConversationError("unknown-session", message, "begin another one")
    return session, str(session.talk["domain"])
