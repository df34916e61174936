"""Holds conversations with an endpoint or recorded replies, records replies, and counts costs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from evals.conversations.judge import Request, Score, judge
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Message
from grounded_builder.drafting.conversation_rounds import start_conversation, take_reply
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.token_estimate import tokens_in, tokens_of
from grounded_builder.ir.options import CompileOptions
from grounded_builder.llm.drafter import Reply

ROUNDS = 4


class Drafter(Protocol):
    """A source of replies to the messages of a conversation."""

    def reply(self, messages: Iterable[Message], schema: Mapping[str, Any]) -> Reply:
        """Returns the reply to messages."""
        ...


@dataclass(frozen=True, slots=True)
class Collected:
    """A recorded reply with its request, its round and its prompt.

    ``prompt`` is the digest of the messages, or "" if unknown.
    """

    request: str
    round: int
    prompt: str
    reply: str


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a conversation.

    ``stale`` lists the rounds whose recorded reply answers a prompt that has changed since.
    """

    request: Request
    outcome: str
    reason: str | None
    rounds: int
    sent: int
    received: int
    score: Score
    stale: tuple[int, ...] = ()


class ReplyMissingError(Exception):
    """No reply was recorded for a round of a request."""


def prompt_digest(messages: Iterable[Message]) -> str:
    """Returns the digest of the messages of a round."""
    text = json.dumps([[message.role, message.content] for message in messages])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def read_replies(path: Path) -> list[Collected]:
    """Returns the replies in a file of lines: one reply each, or all replies to a request."""
    collected: list[Collected] = []
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        if "reply" in entry:
            collected.append(Collected(**entry))
            continue
        for number, reply in enumerate(entry["replies"], 1):
            text = reply if isinstance(reply, str) else json.dumps(reply)
            collected.append(Collected(entry["id"], number, "", text))
    return collected


class Replies:
    """Recorded replies, by request and round."""

    def __init__(self, collected: Iterable[Collected]) -> None:
        self._by_round = {(item.request, item.round): item for item in collected}

    def take(self, request: Request, number: int, messages: Sequence[Message]) -> tuple[str, bool]:
        """Returns the reply to a round, and whether it answers these messages."""
        item = self._by_round.get((request.id, number))
        if item is None:
            raise ReplyMissingError(f"{request.id}: no reply to round {number} was collected")
        return item.reply, item.prompt == prompt_digest(messages)


def record_reply(
    path: Path, request: Request, number: int, conversation: Conversation, text: str
) -> None:
    """Appends a reply with the digest of its prompt to a file of lines."""
    item = Collected(request.id, number, prompt_digest(conversation.messages), text)
    with path.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(item), ensure_ascii=False) + "\n")


def converse(
    request: Request,
    registry: Registry,
    replies: Replies | None = None,
    drafter: Drafter | None = None,
    record: Path | None = None,
) -> Result:
    """Returns the end of a conversation about a request, with recorded replies or a drafter.

    Raises ReplyMissingError if a round has no recorded reply.
    """
    context = CompileContext(
        N8N, registry, CompileOptions(purpose="import", seed=request.id), tuple
    )
    conversation = start_conversation(
        request.text, N8N, registry, ConversationLimits(rounds=ROUNDS), now=0.0
    )
    outcome, number, sent, received = None, 0, 0, 0
    stale: list[int] = []
    while outcome is None:
        number += 1
        prompt_tokens, tokens = tokens_of(message.content for message in conversation.messages), 0
        if replies is not None:
            text, is_current = replies.take(request, number, conversation.messages)
            stale += [] if is_current else [number]
        elif drafter is not None:
            reply = drafter.reply(conversation.messages, conversation.schema)
            text, tokens = reply.text, reply.tokens
            prompt_tokens = reply.prompt_tokens or prompt_tokens
            if record is not None:
                record_reply(record, request, number, conversation, text)
        sent, received = sent + prompt_tokens, received + (tokens or tokens_in(text))
        conversation, outcome, _ = take_reply(conversation, text, context, now=0.0)
    compilation = outcome.compilation if outcome.outcome != "refused" else None
    score = judge(request, compilation, outcome.todo)
    reason = outcome.reason or outcome.summary if compilation is None else outcome.reason
    return Result(request, outcome.outcome, reason, number, sent, received, score, tuple(stale))


def read_requests(path: Path) -> Iterator[Request]:
    """Yields the requests of a set."""
    for line in path.read_text("utf-8").splitlines():
        entry = json.loads(line)
        yield Request(
            entry["id"],
            entry["request"],
            bool(entry.get("sealed")),
            entry.get("paths", ()),
            entry.get("has"),
        )
