"""Generates an artifact for a request with the configured drafters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from grounded_builder.llm.fallback_chain import drafter_chain
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
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
    trial: bool = False,
    lists: bool = False,
) -> Answer:
    """Drafts with the configured drafters, or with the planner where there is none or all fail."""
    if choice == "planner" or store.settings.drafters[0] == PLANNER:
        order = DraftRequest(request, constraints, rounds, PLANNER, trial=trial, lists=lists)
        return conversations.open(order)
    with drafter_chain(store.settings) as chain:
        order = DraftRequest(request, constraints, rounds, chain.first, salvage, trial, lists=lists)
        return conversations.run(order, chain)
