"""Run a whole generation: request in, outcome out, with whatever drafters there are."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Literal

from grounded_builder.account import PLANNER, Answer, Order
from grounded_builder.conversing import Conversations, session_of
from grounded_builder.drafters.drafter import DrafterError
from grounded_builder.drafters.line import Line, line_of
from grounded_builder.repair.talk import Message
from grounded_builder.storage.store import Store

DrafterChoice = Literal["auto", "planner"]


def generate(
    request: str,
    constraints: Mapping[str, Any],
    rounds: int | None,
    choice: DrafterChoice,
    conversations: Conversations,
    store: Store,
    *,
    salvage: bool = False,
) -> Answer:
    """Draft by the configured drafters, by the planner without one or where they fail."""
    if choice == "planner" or store.settings.drafters[0] == PLANNER:
        return conversations.open(Order(request, constraints, rounds, PLANNER))
    with line_of(store.settings) as line:
        order = Order(request, constraints, rounds, line.first, salvage)
        return drafted(order, line, conversations, store)


def drafted(order: Order, line: Line, conversations: Conversations, store: Store) -> Answer:
    """The outcome of an order that a line of drafters drafts."""
    answer = conversations.open(order)
    deadline = time.monotonic() + store.settings.talk.seconds
    while answer["status"] == "draft":
        answer = _answered(line, answer, deadline, conversations, store)
    return answer


def _answered(
    line: Line, asked: Answer, deadline: float, conversations: Conversations, store: Store
) -> Answer:
    session, _ = session_of(store, asked["session"])

    def missed(drafter: str, why: str) -> None:
        nonlocal session
        session = conversations.missed(session, drafter, why)

    messages = [Message(**one) for one in asked["messages"]]
    try:
        said = line.reply(asked["round"], messages, asked["response_schema"], deadline, missed)
    except DrafterError as error:
        end = conversations.plan if line.ends_in_planner else conversations.give_up
        return end(session, str(error))
    text, rescue = said.reply.text, line.ends_in_planner
    return conversations.take(session, reply=text, by=said.drafter, rescue=rescue)
