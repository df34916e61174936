"""Finds references such as ``{{step_1.items[0]}}`` in tool arguments, and fills in call outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Route

_NAME = r"[A-Za-z_][\w-]{0,99}"
_PATH = rf"(?P<step>{_NAME})(?P<path>(?:\.[\w-]{{1,100}}|\[\d{{1,9}}\]|\[\"[^\"\]]{{1,100}}\"\])*)"
_BRACES = re.compile(rf"\{{\{{\s*\$?{_PATH}\s*\}}\}}")
_DOLLAR = re.compile(rf"\$(?:\{{)?{_PATH}\}}?")
_SEGMENT = re.compile(r"\.([\w-]+)|\[(\d+)\]|\[\"([^\"\]]+)\"\]")
_DIGITS = re.compile(r"\d+")
# Words by which a reference means the whole output of a call.
_WHOLE = frozenset({"output", "outputs", "result", "results"})
_MAX_JSON_CHARS = 20_000_000


class MissingOutputError(LookupError):
    """A reference has no value in the output of its call."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a place in the output of a call, which is given by its id."""

    step: str
    path: tuple[str | int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class AwaitedValue:
    """A placeholder in arguments for a value of a later output, whose type is not known yet."""

    reference: Reference


class AwaitedText(str):
    """A text that will contain values of later outputs; only its type is known."""

    __slots__ = ()


def find_references(value: Any, ids: Collection[str]) -> Iterator[tuple[Route, Reference]]:
    """Yields every reference in a value with its route; other names are plain text.

    A name that differs from the id of a call only in its number counts as a reference.
    """
    stack: list[tuple[Route, Any]] = [((), value)]
    shapes = {_DIGITS.sub("#", id_) for id_ in ids if _DIGITS.search(id_)}
    while stack:
        at, current = stack.pop()
        if isinstance(current, str):
            for reference in _parse_references(current):
                if reference.step in ids or _DIGITS.sub("#", reference.step) in shapes:
                    yield at, reference
        elif isinstance(current, dict):
            stack += [((*at, key), child) for key, child in reversed(current.items())]
        elif isinstance(current, list):
            stack += [((*at, index), current[index]) for index in reversed(range(len(current)))]


def replace_references(value: Any, ids: Collection[str]) -> Any:
    """Returns the value with a placeholder for each reference to one of these calls."""
    if isinstance(value, dict):
        return {key: replace_references(child, ids) for key, child in value.items()}
    if isinstance(value, list):
        return [replace_references(child, ids) for child in value]
    if not isinstance(value, str):
        return value
    known = [reference for reference in _parse_references(value) if reference.step in ids]
    if not known:
        return value
    return AwaitedValue(known[0]) if _is_whole(value) else AwaitedText(value)


def fill_references(value: Any, outputs: Mapping[str, Any]) -> Any:
    """Returns the value with each reference to a call in ``outputs`` replaced by its output.

    A reference that is the whole text becomes the value itself; one inside a text becomes text.
    Raises MissingOutputError if a path has no value.
    """
    if isinstance(value, dict):
        return {key: fill_references(child, outputs) for key, child in value.items()}
    if isinstance(value, list):
        return [fill_references(child, outputs) for child in value]
    if not isinstance(value, str):
        return value
    known = [reference for reference in _parse_references(value) if reference.step in outputs]
    if not known:
        return value
    if _is_whole(value):
        return _read_path(outputs[known[0].step], known[0])

    def text(match: re.Match[str]) -> str:
        reference = _make_reference(match)
        return (
            _to_text(_read_path(outputs[reference.step], reference))
            if reference.step in outputs
            else match.group()
        )

    return _BRACES.sub(text, value)


def _parse_references(text: str) -> list[Reference]:
    if "{{" not in text and not text.lstrip().startswith("$"):
        return []
    whole = _DOLLAR.fullmatch(text.strip())
    if whole is not None:
        return [_make_reference(whole)]
    return [_make_reference(match) for match in _BRACES.finditer(text)]


def _is_whole(text: str) -> bool:
    stripped = text.strip()
    return bool(_BRACES.fullmatch(stripped) or _DOLLAR.fullmatch(stripped))


def _make_reference(match: re.Match[str]) -> Reference:
    parts = _SEGMENT.findall(match["path"])
    path = tuple(int(number) if number else name or quoted for name, number, quoted in parts)
    return Reference(match["step"], path, match.group())


def _read_path(value: Any, reference: Reference) -> Any:
    path = reference.path
    if path and path[0] in _WHOLE and not (isinstance(value, dict) and path[0] in value):
        path = path[1:]
    for part in path:
        if isinstance(value, str):
            value = _parse_json(value)
        if isinstance(part, str) and part.isdecimal() and isinstance(value, list):
            part = int(part)  # noqa: PLW2901 - "items.0" is written as often as "items[0]"
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError) as error:
            message = f"{reference.text} has no value in the output of {reference.step}"
            raise MissingOutputError(message) from error
    return value


def _parse_json(text: str) -> Any:
    """Returns the value of a text that is JSON, as outputs of tools often are, else the text."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _MAX_JSON_CHARS:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _to_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
