"""Recognizes files with MATLAB Function code, and reads the code by the path of its block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from grounded_builder.domains.simulink.read.section import Part

_KIND = "EML_CHART"
_LONGEST = 20_000
_SPACE = re.compile(r"[ \t\r\n]+")


def is_function_file(raw: bytes) -> bool:
    """Returns whether a file of charts contains a MATLAB Function."""
    return _KIND.encode() in raw


def functions_in(tops: Iterable[Part]) -> dict[str, str]:
    """Returns the scripts in these parts by the path of their block, each in one line.

    A chart names its block, and the function is its only state with code. Classic files list charts
    and states side by side, and the states refer to the number of their chart.
    """
    entries: dict[str, str] = {}
    for top in tops:
        charts = [part for part in _all(top) if part.tag == "chart"]
        loose = [part for part in _all(top) if part.tag == "state" and "chart" in part.own]
        for chart in charts:
            if chart.own.get("type") != _KIND:
                continue
            inner = [part for part in _all(chart) if part.tag == "state"]
            number = chart.own.get("id")
            inner += [part for part in loose if part.own.get("chart") == number]
            scripts = [code for part in inner if (code := _script(part)) is not None]
            name = chart.own.get("name", "")
            if name and len(scripts) == 1 and len(scripts[0]) <= _LONGEST:
                entries[_SPACE.sub(" ", name)] = scripts[0]
    return entries


def _all(top: Part) -> Iterator[Part]:
    waiting = [top]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(part.parts)


def _script(state: Part) -> str | None:
    """Returns the code of a state; None where it has no MATLAB code."""
    code = state.first("eml")
    return code.own.get("script") if code is not None and code.own.get("isEML") == "1" else None
