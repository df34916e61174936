"""A conversation with a drafter, and how it ended, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from grounded_builder.pipeline import Compilation

Reason = Literal["repaired", "stalled", "exhausted", "cancelled"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one conversation may cost: rounds, seconds, characters sent and received."""

    rounds: int = 4
    seconds: float = 180.0
    characters: int = 400_000


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation; ``last`` are the findings of the draft before, ``started`` is Unix time."""

    request: str
    bounds: Bounds
    round: int
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    shown: tuple[str, ...]
    spent: int
    started: float
    last: tuple[str, ...]
    catalog: str

    def as_json(self) -> dict[str, Any]:
        """The conversation as plain JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a conversation ended; ``reason`` says why it ended where that is not plain."""

    outcome: Literal["built", "incomplete", "refused"]
    reason: Reason | None
    summary: str
    compilation: Compilation | None
    rounds: int
    plan: Mapping[str, Any] | None
    todo: tuple[str, ...]


def talk_from(state: Mapping[str, Any]) -> Talk:
    """The conversation that ``as_json`` wrote."""
    return Talk(
        **{
            **state,
            "bounds": Bounds(**state["bounds"]),
            "messages": tuple(Message(**one) for one in state["messages"]),
            "shown": tuple(state["shown"]),
            "last": tuple(state["last"]),
        }
    )
