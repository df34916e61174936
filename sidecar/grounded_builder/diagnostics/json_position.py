"""Finds the line and column of places in a JSON text, given as paths of keys and indices."""

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
# The decoder itself skips values that are not wanted.
_decode_value = json.JSONDecoder(strict=False).raw_decode


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text: offset, length, and line and column counted from 1."""

    offset: int
    length: int
    line: int
    column: int


def locate(text: str, routes: Iterable[Route]) -> dict[Route, Position]:
    """Returns the positions of routes in a JSON text, of the nearest parent if a route is missing.

    Reads the text once. If the text is not JSON, returns the positions before the fault.
    """
    wanted = set(routes)
    spans: dict[Route, tuple[int, int]] = {}
    if wanted:
        start = max(text.find("{"), 0) if not text.lstrip().startswith("[") else text.find("[")
        with suppress(ValueError, IndexError, RecursionError):
            _walk(text, start, (), _nest_routes(wanted), spans)
    starts = _line_starts(text) if wanted else [0]
    return {route: _make_position(_nearest_span(route, spans), starts) for route in wanted}


def _nest_routes(routes: Iterable[Route]) -> dict[Any, Any]:
    """Returns the wanted routes as nested mappings from key or index."""
    root: dict[Any, Any] = {}
    for route in routes:
        branch = root
        for part in route:
            branch = branch.setdefault(part, {})
    return root


def _walk(
    text: str, at: int, route: Route, wanted: dict[Any, Any], spans: dict[Route, tuple[int, int]]
) -> int:
    """Records the spans of a value and of the wanted values in it; returns the end of the value.

    If a member is cut off, its key is recorded. The length of a container is that of its bracket.
    """
    char = text[at]
    if char not in "{[":
        end = _decode_value(text, at)[1]
        spans[route] = (at, end - at)
        return end
    spans[route] = (at, 1)
    if not wanted:
        return _decode_value(text, at)[1]
    at = skip_space(text, at + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if char == "{":
            if text[at] != '"':
                raise ValueError(at)
            key, after = _decode_value(text, at)
            start, at = at, skip_space(text, after)
            if text[at] != ":":
                raise ValueError(at)
            at = skip_space(text, at + 1)
            if key in wanted:
                spans[*route, key] = (start, after - start)
        nested = wanted.get(key)
        at = (
            _decode_value(text, at)[1]
            if nested is None
            else _walk(text, at, (*route, key), nested, spans)
        )
        at = skip_space(text, at)
        if text[at] == ",":
            at = skip_space(text, at + 1)
        elif text[at] not in "]}":
            raise ValueError(at)
        index += 1
    return at + 1


def skip_space(text: str, at: int) -> int:
    """Returns the index of the first character from ``at`` on that is not white space of JSON."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _nearest_span(route: Route, spans: dict[Route, tuple[int, int]]) -> tuple[int, int]:
    for cut in range(len(route), -1, -1):
        if route[:cut] in spans:
            return spans[route[:cut]]
    return (0, 0)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _make_position(span: tuple[int, int], starts: list[int]) -> Position:
    line = bisect_right(starts, span[0])
    return Position(span[0], span[1], line, span[0] - starts[line - 1] + 1)
