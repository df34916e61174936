"""References from one call's arguments to what an earlier call gave: ``{{step_1.items[0]}}``."""

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
# Words by which a reference means the whole of what a call gave.
_WHOLE = frozenset({"output", "outputs", "result", "results"})
_LONGEST_JSON = 20_000_000


class MissingOutputError(LookupError):
    """A reference that leads nowhere in what the call gave."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is meant: a call by its id, and a place in what it gave."""

    step: str
    path: tuple[str | int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Awaited:
    """Stands in arguments for a value that a call will give; nothing can be said of it yet."""

    reference: Reference


class AwaitedText(str):
    """A text into which values of other calls will be put: all that is known is that it is text."""

    __slots__ = ()


def references_in(value: Any, ids: Collection[str]) -> Iterator[tuple[Route, Reference]]:
    """Every reference in a value with its route; names that are no call's are plain text.

    A name that differs from a call's in its number only is meant as one.
    """
    stack: list[tuple[Route, Any]] = [((), value)]
    shapes = {_DIGITS.sub("#", id_) for id_ in ids if _DIGITS.search(id_)}
    while stack:
        at, current = stack.pop()
        if isinstance(current, str):
            for reference in _found(current):
                if reference.step in ids or _DIGITS.sub("#", reference.step) in shapes:
                    yield at, reference
        elif isinstance(current, dict):
            stack += [((*at, key), child) for key, child in reversed(current.items())]
        elif isinstance(current, list):
            stack += [((*at, index), current[index]) for index in reversed(range(len(current)))]


def awaiting(value: Any, ids: Collection[str]) -> Any:
    """The value with every reference to one of these calls replaced by what stands for it."""
    if isinstance(value, dict):
        return {key: awaiting(child, ids) for key, child in value.items()}
    if isinstance(value, list):
        return [awaiting(child, ids) for child in value]
    if not isinstance(value, str):
        return value
    known = [reference for reference in _found(value) if reference.step in ids]
    if not known:
        return value
    return Awaited(known[0]) if _is_whole(value) else AwaitedText(value)


def fill_references(value: Any, outputs: Mapping[str, Any]) -> Any:
    """The value with every reference to a call in ``outputs`` replaced by what it gave.

    A reference that is the whole text gives the value itself, one inside of text its text.
    MissingOutputError where a path leads nowhere.
    """
    if isinstance(value, dict):
        return {key: fill_references(child, outputs) for key, child in value.items()}
    if isinstance(value, list):
        return [fill_references(child, outputs) for child in value]
    if not isinstance(value, str):
        return value
    known = [reference for reference in _found(value) if reference.step in outputs]
    if not known:
        return value
    if _is_whole(value):
        return _at(outputs[known[0].step], known[0])

    def text(match: re.Match[str]) -> str:
        reference = _reference(match)
        return (
            _text(_at(outputs[reference.step], reference))
            if reference.step in outputs
            else match.group()
        )

    return _BRACES.sub(text, value)


def _found(text: str) -> list[Reference]:
    if "{{" not in text and not text.lstrip().startswith("$"):
        return []
    whole = _DOLLAR.fullmatch(text.strip())
    if whole is not None:
        return [_reference(whole)]
    return [_reference(match) for match in _BRACES.finditer(text)]


def _is_whole(text: str) -> bool:
    stripped = text.strip()
    return bool(_BRACES.fullmatch(stripped) or _DOLLAR.fullmatch(stripped))


def _reference(match: re.Match[str]) -> Reference:
    parts = _SEGMENT.findall(match["path"])
    path = tuple(int(number) if number else name or quoted for name, number, quoted in parts)
    return Reference(match["step"], path, match.group())


def _at(value: Any, reference: Reference) -> Any:
    path = reference.path
    if path and path[0] in _WHOLE and not (isinstance(value, dict) and path[0] in value):
        path = path[1:]
    for part in path:
        if isinstance(value, str):
            value = _read(value)
        if isinstance(part, str) and part.isdecimal() and isinstance(value, list):
            part = int(part)  # noqa: PLW2901 - "items.0" is written as often as "items[0]"
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError) as error:
            message = f"{reference.text} leads nowhere in what {reference.step} gave"
            raise MissingOutputError(message) from error
    return value


def _read(text: str) -> Any:
    """What a text says when it is JSON, as the texts that tools give often are."""
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST_JSON:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
