"""What whoever writes drafts has in common, and how it fails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from grounded_builder.drafting.conversation import Message

FailureKind = Literal[
    "unreachable", "slow", "busy", "refused", "failed", "too-large", "garbled", "empty", "absent"
]


class DrafterError(Exception):
    """There is no reply; the message says why, ``status`` is the HTTP status or 0.

    ``after`` is the seconds that the endpoint asked to wait, where it did.
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
    """What a drafter said, with the tokens that it counted, 0 where it does not count."""

    text: str
    prompt_tokens: int = 0
    tokens: int = 0


class Drafter(Protocol):
    """Whoever writes drafts: asked with the whole conversation, bounded in seconds."""

    @property
    def name(self) -> str:
        """What it is called in records."""

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """Answer within ``seconds``, or raise DrafterError; ``tools`` may be called instead."""

    def close(self) -> None:
        """Let go of what was opened to ask it."""
