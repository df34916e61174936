"""Run a whole generation: request in, outcome out, with whatever drafters there are."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Literal

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.fallback_chain import DrafterChain, DrafterReply, drafter_chain
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.session_lookup import ConversationError, get_session
from grounded_builder.storage.store import Store

DrafterChoice = Literal["auto", "planner"]

# Who waits long is looked after less often: hundreds may wait, and each look asks the database.
_FIRST_POLL_S, _LAST_POLL_S = 0.2, 2.0


def generate(
    request: str,
    constraints: Mapping[str, Any],
    rounds: int | None,
    choice: DrafterChoice,
    conversations: Conversations,
    store: Store,
    *,
    salvage: bool = False,
    trial: bool = False,
) -> Answer:
    """Draft by the configured drafters, by the planner without one or where they fail."""
    if choice == "planner" or store.settings.drafters[0] == PLANNER:
        return conversations.open(DraftRequest(request, constraints, rounds, PLANNER, trial=trial))
    with drafter_chain(store.settings) as line:
        order = DraftRequest(request, constraints, rounds, line.first, salvage, trial)
        return run_drafters(order, line, conversations, store)


def run_drafters(
    order: DraftRequest, line: DrafterChain, conversations: Conversations, store: Store
) -> Answer:
    """The outcome of an order that a line of drafters drafts."""
    answer = conversations.open(order)
    deadline = time.monotonic() + store.settings.conversation_limits.seconds
    while answer["status"] == "draft":
        try:
            answer = _answered(line, answer, deadline, conversations, store)
        except ConversationError:
            # Somebody else ended it: what it came to is the answer here, too.
            session, _ = get_session(store, answer["session"])
            if session.is_open:
                raise
            answer = dict(session.answer)
    return answer


def _answered(
    line: DrafterChain, asked: Answer, deadline: float, conversations: Conversations, store: Store
) -> Answer:
    session, _ = get_session(store, asked["session"])

    def missed(drafter: str, why: str) -> None:
        nonlocal session
        session = conversations.record_failed_reply(session, drafter, why)

    def ask() -> DrafterReply:
        messages = [Message(**message) for message in asked["messages"]]
        facts = (asked["round"], messages, asked["response_schema"], deadline, missed)
        return line.reply(*facts, asked["tools"])

    try:
        reply = _await_reply(ask, lambda: get_session(store, session.id)[0].is_open)
    except DrafterError as error:
        end = conversations.plan if line.ends_in_planner else conversations.give_up
        return end(session, str(error))
    if reply is None:
        return dict(get_session(store, session.id)[0].answer)
    text, rescue = reply.reply.text, line.ends_in_planner
    return conversations.submit_reply(session, reply=text, by=reply.drafter, rescue=rescue)


def _await_reply(
    ask: Callable[[], DrafterReply], is_open: Callable[[], bool]
) -> DrafterReply | None:
    """What a drafter says; None soon after nobody waits for it any more, whatever it does."""
    simple_queue: SimpleQueue[DrafterReply | Exception] = SimpleQueue()

    def listen() -> None:
        try:
            simple_queue.put(ask())
        except Exception as error:  # noqa: BLE001 - it is raised where it is waited for
            simple_queue.put(error)

    Thread(target=listen, name="drafter", daemon=True).start()
    pause = _FIRST_POLL_S
    while True:
        try:
            value = simple_queue.get(timeout=pause)
        except Empty:
            if not is_open():
                return None
            pause = min(_LAST_POLL_S, 1.5 * pause)
            continue
        if isinstance(value, Exception):
            raise value
        return value
