"""Replaces the first prompt of a conversation by a shorter one for repairing its draft.

Messages are the whole memory of a drafter: every round sends the rules, the request and the draft.
The rules come first and are those of the first prompt, so that providers that cache the beginning
of a prompt can reuse it. Of the tools only those of the draft are described.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.drafting.clarification import PERSON_ANSWERS
from grounded_builder.drafting.conversation import Conversation, Message
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.first_prompt import closing_rule
from grounded_builder.drafting.prompt import repair_prompt
from grounded_builder.drafting.tool_retrieval import (
    RequestReading,
    ShownTools,
    order_operations,
    read_request,
    usual_operations,
)
from grounded_builder.ir.domain import Domain

_MOST_TOOLS = 30
_MOST_OPERATIONS = 4
# The operations of a tool of which the draft states none.
UNSURE = 2


def stand_for_repair(
    conversation: Conversation, compilation: Compilation | None, context: CompileContext
) -> Conversation:
    """Returns the conversation whose lasting messages are those of a repair.

    They are the rules with the tools of the draft and those that the request names, the request,
    and what a person answered. The conversation stays as it is where the draft has no tool that can
    be used.
    """
    reading = read_request(conversation.request, context.registry)
    steps = _steps_of(compilation, context) if compilation is not None else ()
    used = tuple(tools_in(steps, reading, context.domain, context.registry))
    if not used:
        return conversation
    details = {item.tool: count for item, count in used}
    shown = (
        *(item for item, _ in used),
        *_unused_services(conversation, details, reading, context),
    )
    rule = closing_rule(
        context.domain,
        may_ask=conversation.may_ask,
        offers_native=context.offers_native,
        expects=context.expects,
    )
    system = repair_prompt(context.domain, context.registry, shown, details, UNSURE)
    system = f"{system}\n{rule}"
    request = Message("user", conversation.bare_request or conversation.messages[1].content)
    messages = (Message("system", system), request, *_answers_of_person(conversation))
    return replace(conversation, messages=messages, pinned_messages=len(messages))


def _answers_of_person(conversation: Conversation) -> Iterator[Message]:
    """Yields the questions to the person with their answers."""
    pinned = conversation.messages[2 : conversation.pinned_messages]
    for asked, answer in pairwise(pinned):
        if answer.content.startswith(PERSON_ANSWERS):
            yield from (asked, answer)


def _unused_services(
    conversation: Conversation,
    used: Collection[str],
    reading: RequestReading,
    context: CompileContext,
) -> Iterator[ShownTools]:
    """Yields the tools that the request names and the draft lacks; triggers only without any."""
    registry = context.registry
    is_started = any("trigger" in registry.tools[tool].capabilities for tool in used)
    services: Mapping[str, Sequence[str]] = (conversation.prompt or {}).get("services", {})
    for tool in dict.fromkeys(tool for tools in services.values() for tool in tools):
        row = registry.tools.get(tool)
        if row is None or tool in used or tool in conversation.denied:
            continue
        if not (is_started and "trigger" in row.capabilities):
            yield ShownTools(tool, order_operations(tool, reading, context.domain, registry), 0.0)


def tools_in(
    steps: Iterable[tuple[str, Mapping[str, Any]]],
    reading: RequestReading,
    domain: Domain,
    registry: Registry,
) -> Iterator[tuple[ShownTools, int]]:
    """Yields the installed tools of steps, with the operations that they use first, and how many
    of them are described: all that are used, or some likely ones where a step states none.
    """
    used: dict[str, list[Mapping[str, Any]]] = {}
    for tool, params in steps:
        row = registry.tools.get(tool)
        if row is None or row.availability != "installed":
            continue
        operations = used.setdefault(row.id, [])
        operations += [
            operation
            for operation in usual_operations(row.id, registry)
            if operation.items() <= params.items() and operation not in operations
        ]
    for tool, operations in list(used.items())[:_MOST_TOOLS]:
        ranked = order_operations(tool, reading, domain, registry)
        ordered = (*operations, *(params for params in ranked if params not in operations))
        yield ShownTools(tool, ordered, 0.0), min(len(operations), _MOST_OPERATIONS) or UNSURE


def _steps_of(
    compilation: Compilation, context: CompileContext
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the tool and the parameters of each step or node of a draft."""
    if compilation.plan is not None:
        for node in compilation.plan.nodes:
            yield str(node.get("tool_id")), node.get("params") or {}
        return
    graph = context.domain.reading.read(compilation.document).graph
    for each in graph.nodes if graph is not None else ():
        if each.tool is not None:
            yield each.tool, each.params
