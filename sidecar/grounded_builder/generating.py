"""Run a whole generation: request in, outcome out, with whatever drafter there is."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

from grounded_builder.account import PLANNER, Answer, Order
from grounded_builder.conversing import Conversations, session_of
from grounded_builder.repair.drafters import ChatEndpoint, DrafterError, ReplyBounds
from grounded_builder.repair.talk import Message
from grounded_builder.settings import Settings
from grounded_builder.storage.store import Store

DrafterChoice = Literal["auto", "planner"]


def generate(
    request: str,
    constraints: Mapping[str, Any],
    rounds: int | None,
    choice: DrafterChoice,
    conversations: Conversations,
    store: Store,
) -> Answer:
    """Draft by the configured endpoint, by the planner without one or when it fails."""
    settings = store.settings
    if choice == "planner" or settings.model_url is None or settings.model is None:
        return conversations.open(Order(request, constraints, rounds, PLANNER))
    with _endpoint(settings.model_url, settings.model, settings) as endpoint:
        answer = conversations.open(Order(request, constraints, rounds, endpoint.name))
        deadline = time.monotonic() + settings.talk.seconds
        while answer["status"] == "draft":
            answer = _answered(endpoint, answer, deadline, conversations, store)
    return answer


def _answered(
    endpoint: ChatEndpoint,
    asked: Answer,
    deadline: float,
    conversations: Conversations,
    store: Store,
) -> Answer:
    session, _ = session_of(store, asked["session"])
    messages = [Message(**one) for one in asked["messages"]]
    try:
        # The loop ends after a reply that came late; the reply itself ends in time.
        left = max(1.0, deadline - time.monotonic())
        reply = endpoint.reply(messages, asked["response_schema"], left)
    except DrafterError as error:
        return conversations.take(session, failed=str(error))
    return conversations.take(session, reply=reply)


def _endpoint(url: str, model: str, settings: Settings) -> ChatEndpoint:
    bounds = ReplyBounds(seconds=settings.model_seconds)
    return ChatEndpoint(url, model, settings.model_key, bounds)
