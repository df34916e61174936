"""Restores lines of a model from its plan: between steps, or with an end that is not connected."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.simulink.lower.exact_plan_model import Making
from grounded_builder.domains.simulink.read.document import PHYSICAL, PORT_KINDS
from grounded_builder.ir.plan import Source, Step

_PORT = re.compile(r"([a-z]+)(\d*)", re.IGNORECASE)
# The number of dangling branches of a line.
_MOST = 100


def draw(step: Step, source: Source, system: dict[str, Any], making: Making) -> None:
    """Connects a signal of the diagram to one more input."""
    start = _build_end(source.name, source.output, source.at, making, leaving=True)
    end = _build_end(step.id, source.input, source.at, making)
    if start is None or end is None:
        return
    line = _find_or_add_line(start, system, making)
    if {start["kind"], end["kind"]} & PHYSICAL:
        line["physical"] = True
    if signal := making.of(source.at, "signal", kind=str):
        line["name"] = signal
    _add_ends(line, [{"to": end}])


def draw_loose(
    holder: str | None,
    at: Route,
    around: Mapping[str, str | None],
    system: dict[str, Any],
    making: Making,
) -> None:
    """Draws a line, or a part of one, with an end that is not at a block."""
    value = making.of(at)
    parts: list[dict[str, Any]] = [{} for _ in range(min(making.of(at, "ends", kind=int), _MOST))]
    for index, item in enumerate(making.of(at, "to", kind=list)):
        here = (*at, "to", index)
        step = making.of(here, "step", kind=str) if isinstance(item, dict) else ""
        end = (
            _build_end(step, item.get("input"), here, making)
            if around.get(step, "") == holder
            else None
        )
        if end is None:
            making.bad(here, "a line must end at an input of a step of its diagram")
            return
        parts.append({"to": end})
    line: dict[str, Any] = {}
    if "from" in value:
        name = making.of(at, "from", kind=str)
        start = None
        if around.get(name, "") == holder:
            start = _build_end(name, value.get("output"), at, making, leaving=True)
        if start is None:
            making.bad(at, f'"{name}" is not a step of the same diagram')
            return
        line = _find_or_add_line(start, system, making)
    else:
        system["lines"].append(line)
    ends = [line.get("from"), *(part.get("to") for part in parts)]
    if any(end is not None and end["kind"] in PHYSICAL for end in ends):
        line["physical"] = True
    if parts:
        _add_ends(line, parts)


def _find_or_add_line(
    start: dict[str, Any], system: dict[str, Any], making: Making
) -> dict[str, Any]:
    """Returns the line of a port, which is a new one where none begins there."""
    key = (start["block"], start["kind"], start["index"])
    if key not in making.lines:
        making.lines[key] = {"from": start}
        system["lines"].append(making.lines[key])
    return making.lines[key]


def _add_ends(line: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    """Adds ends to a line; an empty end is not at a block."""
    there = line.pop("branches", None) or ([{"to": line.pop("to")}] if "to" in line else [])
    branches = [*there, *parts]
    line |= branches[0] if len(branches) == 1 else {"branches": branches}


def _build_end(
    step: str, port: Any, at: Route, making: Making, *, leaving: bool = False
) -> dict[str, Any] | None:
    """Returns an end of a line at the port that is named."""
    plain = "out" if leaving else "in"
    kind, index = plain, 1
    if isinstance(port, int) and not isinstance(port, bool):
        index = port
    elif isinstance(port, str):
        match = _PORT.fullmatch(port)
        kind = match[1].lower() if match is not None else ""
        index = int(match[2][:9] or 1) if match is not None else 1
    if kind not in PORT_KINDS:
        making.bad(at, f'"{port}" is not a port')
        return None
    return {"block": making.blocks[step]["sid"], "kind": kind, "index": index}
