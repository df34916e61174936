"""Defines the interface of drafters, and their errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from grounded_builder.drafting.conversation import Message

FailureKind = Literal[
    "unreachable", "slow", "busy", "refused", "failed", "too-large", "garbled", "empty", "absent"
]


class DrafterError(Exception):
    """A drafter gave no reply; the message is the reason, ``status`` the HTTP status or 0.

    ``after`` is the number of seconds that the endpoint asked to wait, None if it did not.
    """

    def __init__(
        self, kind: FailureKind, message: str, status: int = 0, after: float | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.after = after


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a drafter, with its token counts, 0 if it does not count."""

    text: str
    prompt_tokens: int = 0
    tokens: int = 0


class Drafter(Protocol):
    """A source of drafts: it gets the whole conversation and replies within a time limit."""

    @property
    def name(self) -> str:
        """The name in records."""

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """Returns a reply within ``seconds``; raises DrafterError. The reply can call ``tools``."""

    def close(self) -> None:
        """Closes connections and processes."""
