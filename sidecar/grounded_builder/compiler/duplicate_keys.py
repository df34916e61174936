"""Reports keys that occur twice in an object of a JSON text; parses texts that may be JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import orjson

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic

DUPLICATE_KEY = Rule.incomplete(
    "GB118",
    "duplicate-key",
    "UnknownParameter",
    "A key of a JSON object is written twice with different values.",
)

_TOKENS = re.compile(r'"[^"\\]*(?:\\(?:.|\Z)[^"\\]*)*(?:"|\Z)|[\[\]{},:]', re.DOTALL)
_KEYS = re.compile(rb'"[ \t\r\n]*+:')
_MOST = 20
_MAX_QUOTED = 60


@dataclass(slots=True)
class _Frame:
    """An open list or object: the place in it, and the spans of the values of its keys."""

    is_object: bool
    index: int = 0
    key: str | None = None
    begin: int = 0
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)


def find_duplicate_keys(text: str, value: Any, at: Route = ()) -> tuple[Diagnostic, ...]:
    """Returns a finding for each key that an object of a text states twice, with both values.

    ``value`` is what the text was read as. The text is searched only if it has more keys. ``at`` is
    the route of the text in the draft. The last of 20 findings has the number of other keys.
    """
    if not isinstance(value, dict | list) or not _has_more_keys(text, value):
        return ()
    repeats = find_repeats(text)
    findings = [_report((*at, *route), values) for route, values in islice(repeats, _MOST)]
    if more := sum(1 for _ in repeats):
        message = f"{findings[-1].message}; further keys written twice: {more:,}"
        findings[-1] = replace(findings[-1], message=message)
    return tuple(findings)


def _report(at: Route, values: tuple[str, str]) -> Diagnostic:
    key = str(at[-1])[:_MAX_QUOTED]
    earlier, later = map(_quote, values)
    message = f'"{key}" is written twice, as {earlier} and as {later}; the last one is used'
    return new_diagnostic(DUPLICATE_KEY, at, message, help="write the key once", token=key)


def _has_more_keys(text: str, value: Any) -> bool:
    try:
        dumped = orjson.dumps(value)
    except TypeError:
        return True  # a number of more than 64 bits
    return _count_keys(text.encode("utf-8", "surrogatepass")) > _count_keys(dumped)


def _count_keys(raw: bytes) -> int:
    """Returns the number of keys in a JSON text, plus that of texts that begin with a colon."""
    return len(_KEYS.findall(raw.replace(rb"\\", b"").replace(rb"\"", b"")))


def find_repeats(text: str) -> Iterator[tuple[Route, tuple[str, str]]]:
    """Yields the route of each repeated key with the texts of two different values.

    Malformed JSON is read as far as its strings, brackets, commas and colons go.
    """
    frames: list[_Frame] = []
    name = ""
    for token in _TOKENS.finditer(text):
        mark, frame = token.group(), frames[-1] if frames else None
        if mark in "{[":
            frames.append(_Frame(is_object=mark == "{"))
        elif frame is not None and mark in "}],":
            values = _close_value(text, frame, token.start())
            if values is not None:
                yield tuple(_place_in(frame) for frame in frames), values
            frame.key = None
            frame.index += 1
            if mark != ",":
                frames.pop()
        elif frame is not None and mark == ":" and frame.is_object and name:
            key = load_or_keep(name)
            frame.key, frame.begin = key if isinstance(key, str) else name, token.end()
        name = mark if mark[0] == '"' else ""


def _place_in(frame: _Frame) -> str | int:
    return (frame.key or "") if frame.is_object else frame.index


def _close_value(text: str, frame: _Frame, end: int) -> tuple[str, str] | None:
    """Returns the earlier and the later value of a key that ends here, if they differ."""
    if frame.key is None:
        return None
    earlier = frame.spans.get(frame.key)
    frame.spans[frame.key] = (frame.begin, end)
    if earlier is None:
        return None
    values = text[slice(*earlier)].strip(), text[frame.begin : end].strip()
    return values if _normalize(values[0]) != _normalize(values[1]) else None


def load_or_keep(text: str) -> Any:
    """Returns a text as JSON, or as it is."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def _normalize(text: str) -> bytes:
    """Returns the text of a value with its keys sorted and without spaces between its parts."""
    try:
        return orjson.dumps(load_or_keep(text), option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return text.encode("utf-8", "surrogatepass")


def _quote(text: str) -> str:
    """Returns the beginning of the text of a value on one line."""
    line = " ".join(text[: 4 * _MAX_QUOTED].split())
    return line if len(line) <= _MAX_QUOTED else f"{line[:_MAX_QUOTED]}..."
