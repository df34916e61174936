"""Defines the values of a conversation with a drafter: its limits, messages and outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.drafting.clarification import Clarification

Reason = Literal["repaired", "stalled", "exhausted", "cancelled"]
Limit = Literal["rounds", "seconds", "tokens"]


@dataclass(frozen=True, slots=True)
class ConversationLimits:
    """The limits of one conversation: rounds, seconds for each reply, and tokens sent and received.

    ``prompt_tokens`` bounds the first prompt.
    """

    rounds: int = 4
    seconds: float = 180.0
    tokens: int = 100_000
    prompt_tokens: int = 6_000


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation; ``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation; ``last`` are the findings of the previous draft, ``started`` is when the
    drafter was asked last, in Unix seconds.

    The first ``pinned_messages`` messages are sent with every draft request. ``forbidden_names``
    are names that drafts must not use (again), ``denied`` tools that must not be used.
    ``questions`` counts answered questions, ``refusal_challenged`` is set after a refusal was
    questioned, ``advice_sent`` after advice alone led to a round, ``values_asked`` after values of
    the user's account were asked for. ``best_reply`` is the best draft
    so far and ``best_rank`` its rank. ``prompt`` accounts for the first prompt, ``bare_request``
    is its message with the request, without examples. With ``may_ask``
    the person can be asked once: ``question`` waits for an answer since ``asked_at``, in Unix
    seconds. ``contradicted`` are the expectations that the run of an earlier draft contradicted.
    """

    request: str
    bounds: ConversationLimits
    round: int
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    shown: tuple[str, ...]
    spent: int
    started: float
    last: tuple[str, ...]
    catalog: str
    pinned_messages: int = 2
    forbidden_names: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    questions: int = 0
    refusal_challenged: bool = False
    advice_sent: bool = False
    values_asked: bool = False
    best_reply: str | None = None
    best_rank: tuple[int, ...] = ()
    prompt: Mapping[str, Any] | None = None
    bare_request: str = ""
    may_ask: bool = False
    question: Clarification | None = None
    asked_at: float = 0.0
    contradicted: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Returns the conversation as plain JSON."""
        return asdict(self)

    def limit(self, now: float) -> Limit | None:
        """Returns the limit that is used up, if any; ``now`` is in Unix seconds."""
        if self.round >= self.bounds.rounds:
            return "rounds"
        if self.spent >= self.bounds.tokens:
            return "tokens"
        return "seconds" if now - self.started >= self.bounds.seconds else None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a conversation; ``reason`` explains an outcome that is not self-evident.

    ``left_out`` are the parts removed from a draft so that the rest of it compiles. ``cause`` is
    what is wrong with the replies of a drafter that is stuck, as part of a sentence.
    """

    outcome: Literal["built", "incomplete", "refused"]
    reason: Reason | None
    summary: str
    compilation: Compilation | None
    rounds: int
    plan: Mapping[str, Any] | None
    todo: tuple[str, ...]
    left_out: tuple[str, ...] | None = None
    cause: str = ""

    @property
    def is_stuck(self) -> bool:
        """Whether a drafter made no progress, rather than refusing the request."""
        return self.outcome == "refused" and self.reason in ("stalled", "exhausted")

    def explain_part(self, why: str, reason: Reason) -> Outcome:
        """Returns the outcome with the reason why only a part of a draft is built, if it is one."""
        if self.left_out is None:
            return self
        return replace(self, reason=reason, summary=f"{self.summary} {why}")


def conversation_from(state: Mapping[str, Any]) -> Conversation:
    """Returns the conversation that ``as_json`` wrote."""
    listed = ("shown", "last", "forbidden_names", "denied", "best_rank", "contradicted")
    question = state.get("question")
    return Conversation(
        **{
            **state,
            **{name: tuple(state[name]) for name in listed if name in state},
            "bounds": ConversationLimits(**_known_limits(state["bounds"])),
            "messages": tuple(Message(**message) for message in state["messages"]),
            "question": question
            and Clarification(question["question"], tuple(question["choices"])),
        }
    )


def _known_limits(bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the limits known to this version: a conversation may be older than the program."""
    return {name: value for name, value in bounds.items() if name in ConversationLimits.__slots__}
