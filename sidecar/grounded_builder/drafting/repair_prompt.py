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
    talk: Conversation, compilation: Compilation | None, bench: CompileContext
) -> Conversation:
    """Returns the conversation whose lasting messages are those of a repair.

    They are the rules with the tools of the draft and those that the request names, the request,
    and what a person answered. The conversation stays as it is where the draft has no tool that can
    be used.
    """
    reading = read_request(talk.request, bench.registry)
    steps = _steps_of(compilation, bench) if compilation is not None else ()
    used = tuple(tools_in(steps, reading, bench.domain, bench.registry))
    if not used:
        return talk
    details = {item.tool: count for item, count in used}
    shown = (*(item for item, _ in used), *_unused_services(talk, details, reading, bench))
    rule = closing_rule(bench.domain, may_ask=talk.may_ask, offers_native=bench.offers_native)
    system = repair_prompt(bench.domain, bench.registry, shown, details, UNSURE)
    system = f"{system}\n{rule}"
    request = Message("user", talk.bare_request or talk.messages[1].content)
    messages = (Message("system", system), request, *_answers_of_person(talk))
    return replace(talk, messages=messages, pinned_messages=len(messages))


def _answers_of_person(talk: Conversation) -> Iterator[Message]:
    """Yields the questions to the person with their answers."""
    pinned = talk.messages[2 : talk.pinned_messages]
    for asked, answer in pairwise(pinned):
        if answer.content.startswith(PERSON_ANSWERS):
            yield from (asked, answer)


def _unused_services(
    talk: Conversation, used: Collection[str], reading: RequestReading, bench: CompileContext
) -> Iterator[ShownTools]:
    """Yields the tools that the request names and the draft lacks; triggers only without any."""
    registry = bench.registry
    is_started = any("trigger" in registry.tools[tool].capabilities for tool in used)
    services: Mapping[str, Sequence[str]] = (talk.prompt or {}).get("services", {})
    for tool in dict.fromkeys(tool for tools in services.values() for tool in tools):
        row = registry.tools.get(tool)
        if row is None or tool in used or tool in talk.denied:
            continue
        if not (is_started and "trigger" in row.capabilities):
            yield ShownTools(tool, order_operations(tool, reading, bench.domain, registry), 0.0)


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
    compilation: Compilation, bench: CompileContext
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yields the tool and the parameters of each step or node of a draft."""
    if compilation.plan is not None:
        for node in compilation.plan.nodes:
            yield str(node.get("tool_id")), node.get("params") or {}
        return
    graph = bench.domain.reading.read(compilation.document).graph
    for each in graph.nodes if graph is not None else ():
        if each.tool is not None:
            yield each.tool, each.params
