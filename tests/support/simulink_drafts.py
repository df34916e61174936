"""Reads plans of models from short lines: ``id = Tool {params} <- inputs in group``.

An input is ``step``, ``step:output`` or ``step>input``, with the prefix ``~`` if it closes an
intended loop and the suffix ``="name"`` for the signal name; ``-`` alone is an empty list.
``[root]`` after the tool is its library. Empty lines separate plans, which begin with ``# goal``;
``## kind`` is a heading for the plans that follow.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_STEP = re.compile(
    r"(?P<id>\S+) = (?P<tool>.+?)(?: \[(?P<library>\w+)\])?(?: (?P<params>\{.*\}))?"
    r"(?: <- (?P<inputs>.+?))?(?: in (?P<group>\w+))?"
)
_INPUT = re.compile(
    r"(?P<back>~)?(?P<from>\w+)(?::(?P<output>[^>=\"]+))?(?:>(?P<input>[^=\"]+))?"
    r'(?:="(?P<signal>.*)")?'
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan, the kind that heads it, and the text after an arrow in its goal, if any."""

    kind: str
    goal: str
    plan: dict[str, Any]
    expected: str = ""


def read_drafts(path: Path) -> Iterator[Draft]:
    """Yields the plans of a file, in order."""
    kind = ""
    for paragraph in path.read_text("utf-8").split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line]
        while lines and lines[0].startswith("## "):
            kind = lines.pop(0)[3:]
        if not lines:
            continue
        goal, _, expected = lines[0].removeprefix("# ").partition(" -> ")
        steps = [_step(line) for line in lines[1:]]
        plan = {"version": 1, "goal": goal, "steps": steps}
        yield Draft(kind, goal, plan, expected)


def _step(line: str) -> dict[str, Any]:
    match = _STEP.fullmatch(line)
    assert match is not None, line
    step: dict[str, Any] = {"id": match["id"], "tool": match["tool"]}
    if match["library"]:
        step["library"] = match["library"]
    if match["params"]:
        step["params"] = json.loads(match["params"])
    if match["inputs"]:
        step["inputs"] = [] if match["inputs"] == "-" else _inputs(match["inputs"])
    if match["group"]:
        step["in"] = match["group"]
    return step


def _inputs(text: str) -> list[Any]:
    return [_input(part) for part in text.split(", ")]


def _input(text: str) -> Any:
    match = _INPUT.fullmatch(text)
    assert match is not None, text
    given = {key: value for key, value in match.groupdict().items() if value is not None}
    if given.keys() == {"from"}:
        return given["from"]
    edge: dict[str, Any] = dict(given)
    for side in ("output", "input"):
        if edge.get(side, "").isdigit():
            edge[side] = int(edge[side])
    if "back" in edge:
        edge["back"] = True
    return edge
