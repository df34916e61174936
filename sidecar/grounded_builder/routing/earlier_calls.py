"""What earlier routes teach a prompt: calls that worked, and names that lead nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from grounded_builder.catalog.registry import Registry
from grounded_builder.routing.capabilities import capability_words

_MOST_CALLS, _MOST_NAMES = 3, 5
_LONGEST_CALL, _LONGEST_REQUEST, _LONGEST_NAME = 400, 160, 60
_LEAST_MET = 2
_ALIKE = 0.34


class SuccessfulCall(Protocol):
    """A call that gave something: for which request, by which name it was drafted."""

    @property
    def request(self) -> str:
        """The request it was made for."""

    @property
    def tool(self) -> str:
        """The tool that was called."""

    @property
    def definition(self) -> str:
        """The fingerprint of the tool as it was then."""

    @property
    def drafted(self) -> str:
        """The name that the model gave."""

    @property
    def found_by(self) -> str:
        """How the tool was found for that name."""

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What it was called with."""


class UnknownName(Protocol):
    """A name of no tool, and how often it was met."""

    @property
    def name(self) -> str:
        """The name as it was written."""

    @property
    def count(self) -> int:
        """How often."""


def call_hints(
    request: str, worked: Iterable[SuccessfulCall], registry: Registry
) -> tuple[str, ...]:
    """Calls that worked for requests like this one, of tools that are still as they were."""
    entries = set(capability_words(request))
    scored: dict[str, float] = {}
    for successful_call in worked:
        row = registry.tools.get(successful_call.tool)
        words = set(capability_words(successful_call.request))
        share = len(entries & words) / len(entries | words) if entries | words else 0.0
        if row is None or row.fingerprint != successful_call.definition or share < _ALIKE:
            continue
        call = {"tool": successful_call.tool, "arguments": dict(successful_call.arguments)}
        quoted = json.dumps(successful_call.request[:_LONGEST_REQUEST], ensure_ascii=False)
        line = f"- {quoted} -> {json.dumps(call, ensure_ascii=False)}"
        if len(line) <= _LONGEST_CALL and line not in scored:
            scored[line] = share
    ranked = sorted(scored, key=lambda line: (-scored[line], line))
    return tuple(ranked[:_MOST_CALLS])


def name_hints(
    met: Iterable[UnknownName],
    worked: Iterable[SuccessfulCall],
    absent: Iterable[str],
    registry: Registry,
) -> tuple[str, ...]:
    """Names that models wrote for tools that are not there, with the tool that did the work.

    ``absent`` are those of the names met that still lead to no tool.
    """
    did = {
        successful_call.drafted: successful_call.tool
        for successful_call in worked
        if successful_call.found_by in ("capability", "name")
    }
    still = set(absent)
    lines = []
    for unknown_name in sorted(met, key=lambda item: (-item.count, item.name)):
        is_shown = unknown_name.name in still and len(unknown_name.name) <= _LONGEST_NAME
        if is_shown and (unknown_name.count >= _LEAST_MET or unknown_name.name in did):
            tool = did.get(unknown_name.name)
            instead = f"; {tool} does that" if tool in registry.tools else ""
            lines.append(
                f"- {json.dumps(unknown_name.name, ensure_ascii=False)} does not exist{instead}"
            )
    return tuple(lines[:_MOST_NAMES])
