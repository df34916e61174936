"""Writes prompt hints from earlier tool routing: successful calls, and names of no tool."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from grounded_builder.catalog.registry import Registry
from grounded_builder.routing.capabilities import capability_words

_MAX_CALLS, _MAX_NAMES = 3, 5
_MAX_CALL_CHARS, _MAX_REQUEST_CHARS, _MAX_NAME_CHARS = 400, 160, 60
_MIN_COUNT = 2
_MIN_SHARED = 0.34


class SuccessfulCall(Protocol):
    """A successful call, its request, and the name by which it was drafted."""

    @property
    def request(self) -> str:
        """The request that it was made for."""

    @property
    def tool(self) -> str:
        """The tool that was called."""

    @property
    def definition(self) -> str:
        """The fingerprint of the tool at the time of the call."""

    @property
    def drafted(self) -> str:
        """The name that the model gave."""

    @property
    def found_by(self) -> str:
        """How the tool was found by that name."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments of the call."""


class UnknownName(Protocol):
    """A name of no tool, and how often it occurred."""

    @property
    def name(self) -> str:
        """The name as written."""

    @property
    def count(self) -> int:
        """The number of occurrences."""


def call_hints(
    request: str, worked: Iterable[SuccessfulCall], registry: Registry
) -> tuple[str, ...]:
    """Returns successful calls for similar requests, of tools that have not changed since."""
    request_words = set(capability_words(request))
    scored: dict[str, float] = {}
    for successful_call in worked:
        row = registry.tools.get(successful_call.tool)
        words = set(capability_words(successful_call.request))
        share = (
            len(request_words & words) / len(request_words | words)
            if request_words | words
            else 0.0
        )
        if row is None or row.fingerprint != successful_call.definition or share < _MIN_SHARED:
            continue
        call = {"tool": successful_call.tool, "arguments": dict(successful_call.arguments)}
        quoted = json.dumps(successful_call.request[:_MAX_REQUEST_CHARS], ensure_ascii=False)
        line = f"- {quoted} -> {json.dumps(call, ensure_ascii=False)}"
        if len(line) <= _MAX_CALL_CHARS and line not in scored:
            scored[line] = share
    ranked = sorted(scored, key=lambda line: (-scored[line], line))
    return tuple(ranked[:_MAX_CALLS])


def name_hints(
    unknown_names: Iterable[UnknownName],
    worked: Iterable[SuccessfulCall],
    absent: Iterable[str],
    registry: Registry,
) -> tuple[str, ...]:
    """Returns names of no tool that models wrote, with the tool that was used instead.

    ``absent`` are the unknown names that still resolve to no tool.
    """
    tool_of = {
        successful_call.drafted: successful_call.tool
        for successful_call in worked
        if successful_call.found_by in ("capability", "name")
    }
    unresolved = set(absent)
    lines = []
    for unknown_name in sorted(unknown_names, key=lambda name: (-name.count, name.name)):
        is_shown = unknown_name.name in unresolved and len(unknown_name.name) <= _MAX_NAME_CHARS
        if is_shown and (unknown_name.count >= _MIN_COUNT or unknown_name.name in tool_of):
            tool = tool_of.get(unknown_name.name)
            instead = f"; {tool} does that" if tool in registry.tools else ""
            lines.append(
                f"- {json.dumps(unknown_name.name, ensure_ascii=False)} does not exist{instead}"
            )
    return tuple(lines[:_MAX_NAMES])
