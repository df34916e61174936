"""Adds the tools that findings about a draft recommend to those that a drafter sees."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.drafting.conversation import Conversation
from grounded_builder.drafting.prompt import is_listed, tool_lines
from grounded_builder.drafting.tool_retrieval import ShownTools, order_operations, read_request
from grounded_builder.ir.domain import Domain

_WORD = re.compile(r"[\w@/.:-]+")
_MOST = 12
_TEXT = 4_000
# The tools of a finding that are described, with so many operations; the others are named.
_BEST, _OPERATIONS, _NAME_ALONE = 2, 2, -1
_MOST_CANDIDATES = 3


def add_recommended(
    conversation: Conversation,
    diagnostics: Iterable[Diagnostic],
    domain: Domain,
    registry: Registry,
    denied: Collection[str] = (),
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the tools that drafts may use, with those that findings name, and lines for a prompt.

    The lines list those that the messages which stay do not list, and describe the first ones of
    each finding.
    """
    diagnostics = tuple(diagnostics)
    named = [tool for tool in tools_in(diagnostics, registry) if tool not in denied]
    best = {tool for diagnostic in diagnostics for tool in tools_in([diagnostic], registry)[:_BEST]}
    shown = tuple(dict.fromkeys((*conversation.shown, *named)))
    stays = "\n".join(
        message.content for message in conversation.messages[: conversation.pinned_messages]
    )
    unlisted = [tool for tool in named if not is_listed(tool, stays)][:_MOST]
    reading = read_request(conversation.request, registry)
    lines = [
        line
        for tool in unlisted
        for line in tool_lines(
            ShownTools(tool, order_operations(tool, reading, domain, registry), 0.0),
            domain,
            registry,
            _OPERATIONS if tool in best else _NAME_ALONE,
        )
    ]
    return shown, tuple(lines)


def with_candidates(
    diagnostics: Iterable[Diagnostic],
    shown: Iterable[str],
    domain: Domain,
    registry: Registry,
    denied: Collection[str] = (),
) -> tuple[Diagnostic, ...]:
    """Returns findings; one about a missing kind of tool names the usual tools of this kind.

    The kind is the token of such a finding. ``shown`` are the tools that a drafter knows.
    """
    find = domain.prompting.usual_tools
    usual = tuple(find(registry, shown)) if find is not None else ()
    usual = tuple(tool for tool in dict.fromkeys((*shown, *usual)) if tool not in denied)

    def add(diagnostic: Diagnostic) -> Diagnostic:
        if diagnostic.alternatives or not diagnostic.token:
            return diagnostic
        tools = [
            tool
            for tool in usual
            if tool in registry.tools and diagnostic.token in registry.tools[tool].capabilities
        ]
        return replace(diagnostic, alternatives=tuple(tools[:_MOST_CANDIDATES]))

    return tuple(map(add, diagnostics))


def tools_in(diagnostics: Iterable[Diagnostic], registry: Registry) -> tuple[str, ...]:
    """Returns the ids of installed tools that findings recommend, each once."""
    ids: dict[str, None] = {}
    for diagnostic in diagnostics:
        words = _WORD.findall(f"{diagnostic.help} {diagnostic.message}"[:_TEXT])
        for word in (*diagnostic.alternatives, *(word.strip(".:,") for word in words)):
            tool = registry.tools.get(word)
            if tool is not None and tool.availability == "installed" and word != diagnostic.token:
                ids[word] = None
    return tuple(ids)
