"""Find the line and column of a route in the JSON text that it points into."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from grounded_builder.diagnostics.diagnostic import Route

# Runs are matched whole: one alternative a character costs a hundred bytes of memory for each.
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^,\]}\s]+")


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
    parents = {route[:cut] for route in wanted for cut in range(len(route) + 1)}
    spans: dict[Route, tuple[int, int]] = {}
    with suppress(ValueError, IndexError):
        _walk(text, parents, spans)
    starts = _line_starts(text)
    return {route: _position(_nearest(route, spans), starts) for route in wanted}


def _walk(text: str, parents: set[Route], spans: dict[Route, tuple[int, int]]) -> None:
    """Record where each wanted value starts and ends; containers point at their bracket."""
    start = max(text.find("{"), 0) if not text.lstrip().startswith("[") else text.find("[")
    stack: list[tuple[Route, str, int]] = []
    route: Route | None = ()
    at = start
    while True:
        at = _skip(text, at)
        mark = text[at]
        if mark in "{[":
            if route in parents:
                spans[route] = (at, 1)
            opening = _skip(text, at + 1)
            if text[opening] in "}]":
                at = opening + 1
            else:
                stack.append((route if route is not None else (), mark, 0))
                route, at = _child(text, opening, stack[-1], parents, spans)
                continue
        else:
            end = _end_of_scalar(text, at)
            if route in parents:
                spans[route] = (at, end - at)
            at = end
        while True:
            if not stack:
                return
            at = _skip(text, at)
            base, bracket, index = stack[-1]
            if text[at] == ",":
                stack[-1] = (base, bracket, index + 1)
                route, at = _child(text, at + 1, stack[-1], parents, spans)
                break
            if text[at] not in "}]":
                raise ValueError(at)
            stack.pop()
            at += 1


def _child(
    text: str,
    at: int,
    frame: tuple[Route, str, int],
    parents: set[Route],
    spans: dict[Route, tuple[int, int]],
) -> tuple[Route, int]:
    base, bracket, index = frame
    if bracket == "[":
        return (*base, index), at
    at = _skip(text, at)
    quoted = _STRING.match(text, at)
    if quoted is None:
        raise ValueError(at)
    end = quoted.end()
    route = (*base, json.loads(quoted.group(), strict=False))
    if route in parents:
        spans[route] = (at, end - at)
    colon = _skip(text, end)
    if text[colon] != ":":
        raise ValueError(colon)
    return route, colon + 1


def _end_of_scalar(text: str, at: int) -> int:
    scalar = (_STRING if text[at] == '"' else _SCALAR).match(text, at)
    if scalar is None:
        raise ValueError(at)
    return scalar.end()


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
