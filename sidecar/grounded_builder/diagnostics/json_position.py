"""Find the line and column of a route in the JSON text that it points into."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics.diagnostic import Route

_SPACE = re.compile(r"[ \t\r\n]*")
# What nobody asks about is passed over by the decoder itself.
_VALUE = json.JSONDecoder(strict=False).raw_decode


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text: offset, length, and line and column counted from 1."""

    offset: int
    length: int
    line: int
    column: int


def locate(text: str, routes: Iterable[Route]) -> dict[Route, Position]:
    """Positions of routes in a JSON text, of the nearest parent where a route itself is absent.

    One pass over the text; a text that is not JSON gives what was found before the fault.
    """
    wanted = set(routes)
    spans: dict[Route, tuple[int, int]] = {}
    if wanted:
        start = max(text.find("{"), 0) if not text.lstrip().startswith("[") else text.find("[")
        with suppress(ValueError, IndexError, RecursionError):
            _walk(text, start, (), _tree(wanted), spans)
    starts = _line_starts(text) if wanted else [0]
    return {route: _position(_nearest(route, spans), starts) for route in wanted}


def _tree(routes: Iterable[Route]) -> dict[Any, Any]:
    """The wanted routes as nested mappings from key or index to what is wanted below."""
    root: dict[Any, Any] = {}
    for route in routes:
        here = root
        for part in route:
            here = here.setdefault(part, {})
    return root


def _walk(
    text: str, at: int, route: Route, wanted: dict[Any, Any], spans: dict[Route, tuple[int, int]]
) -> int:
    """Record where a value and the wanted ones in it start; gives the place after the value.

    Where a member breaks off its key stands for it; a container's length is its bracket's.
    """
    mark = text[at]
    if mark not in "{[":
        end = _VALUE(text, at)[1]
        spans[route] = (at, end - at)
        return end
    spans[route] = (at, 1)
    if not wanted:
        return _VALUE(text, at)[1]
    at = _skip(text, at + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if mark == "{":
            if text[at] != '"':
                raise ValueError(at)
            key, after = _VALUE(text, at)
            start, at = at, _skip(text, after)
            if text[at] != ":":
                raise ValueError(at)
            at = _skip(text, at + 1)
            if key in wanted:
                spans[*route, key] = (start, after - start)
        below = wanted.get(key)
        at = _VALUE(text, at)[1] if below is None else _walk(text, at, (*route, key), below, spans)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        elif text[at] not in "]}":
            raise ValueError(at)
        index += 1
    return at + 1


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _nearest(route: Route, spans: dict[Route, tuple[int, int]]) -> tuple[int, int]:
    for cut in range(len(route), -1, -1):
        if route[:cut] in spans:
            return spans[route[:cut]]
    return (0, 0)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _position(span: tuple[int, int], starts: list[int]) -> Position:
    line = bisect_right(starts, span[0])
    return Position(span[0], span[1], line, span[0] - starts[line - 1] + 1)
