"""Makes plausible values from JSON schemas and from the names of fields."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

_DEEPEST = 10
_MAX_LENGTH = 10_000
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_DAY = "2026-01-{:02d}"
_MOMENT = "2026-01-{:02d}T09:00:00.000Z"
_FORMATS: Mapping[str, str] = {
    "date": _DAY,
    "date-time": _MOMENT,
    "email": "person{}@example.com",
    "time": "09:00:0{}",
    "uri": "https://example.com/{}",
    "url": "https://example.com/{}",
    "uuid": "00000000-0000-4000-8000-{:012d}",
}
# The last word of a field's name, and a text that such a field has.
_BY_WORD: Mapping[str, str] = {
    "email": _FORMATS["email"],
    "mail": _FORMATS["email"],
    "url": _FORMATS["url"],
    "uri": _FORMATS["url"],
    "link": _FORMATS["url"],
    "href": _FORMATS["url"],
    "website": _FORMATS["url"],
    "date": _DAY,
    "day": _DAY,
    "birthday": _DAY,
    "at": _MOMENT,
    "on": _MOMENT,
    "time": _MOMENT,
    "timestamp": _MOMENT,
    "datetime": _MOMENT,
    "phone": "+1555010000{}",
    "color": "#00000{}",
    "currency": "EUR",
    "language": "en",
    "timezone": "UTC",
    "total": "{}0",
    "count": "{}",
    "quantity": "{}",
    "number": "{}",
    "score": "{}",
    "price": "{}0.50",
    "amount": "{}0.50",
}


def example_of(schema: Any, number: int, name: str = "", depth: int = 0) -> Any:
    """Returns a value that fits a JSON schema; another number gives another value of its type."""
    if not isinstance(schema, Mapping):
        return text_of(name, number)
    if "const" in schema:
        return schema["const"]
    choices = schema.get("enum")
    if isinstance(choices, list) and choices:
        return choices[(number - 1) % len(choices)]
    for key in ("anyOf", "oneOf", "allOf"):
        listed = schema.get(key)
        if isinstance(listed, list) and listed and depth < _DEEPEST:
            return _combined(key, listed, number, name, depth)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((item for item in kind if item != "null"), "null")
    if kind == "object" or (kind is None and isinstance(schema.get("properties"), Mapping)):
        return _object_of(schema, number, depth)
    if kind == "array":
        return _list_of(schema, number, name, depth)
    if kind in ("integer", "number"):
        return _number_of(schema, number)
    if kind == "boolean":
        return number % 2 == 1
    return None if kind == "null" else _string_of(schema, number, name)


def text_of(name: str, number: int) -> str:
    """Returns a text as a field with this name has it."""
    last = (words_of(name) or [""])[-1]
    if last in ("id", "key", "uuid", "gid", "token"):
        return id_of(name, number)
    if last in _BY_WORD:
        return _BY_WORD[last].format(number)
    return f"{name or 'text'} {number}"


def words_of(name: str) -> list[str]:
    """Returns the words of a field's name in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def id_of(name: str, number: int) -> str:
    """Returns an id; it is the same for the same name and number."""
    return hashlib.sha256(f"{name} {number}".encode()).hexdigest()[:12]


def _combined(key: str, listed: list[Any], number: int, name: str, depth: int) -> Any:
    if key != "allOf":
        plain = [item for item in listed if not _is_null(item)] or listed
        return example_of(plain[0], number, name, depth + 1)
    values = [example_of(item, number, name, depth + 1) for item in listed]
    objects = [value for value in values if isinstance(value, dict)]
    return {k: v for value in objects for k, v in value.items()} if objects else values[0]


def _is_null(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _object_of(schema: Mapping[str, Any], number: int, depth: int) -> dict[str, Any]:
    fields = schema.get("properties")
    if not isinstance(fields, Mapping) or depth >= _DEEPEST:
        return {}
    return {key: example_of(item, number, key, depth + 1) for key, item in fields.items()}


def _list_of(schema: Mapping[str, Any], number: int, name: str, depth: int) -> list[Any]:
    items = schema.get("items")
    least = schema.get("minItems", 0)
    if depth >= _DEEPEST or (not isinstance(items, Mapping) and not least):
        return []
    count = 2 if depth < 3 else 1
    most = schema.get("maxItems", count)
    count = max(min(count, most), least) if isinstance(least, int) and isinstance(most, int) else 2
    singular = name.removesuffix("s")
    return [example_of(items, number + i, singular, depth + 1) for i in range(min(count, 20))]


def _number_of(schema: Mapping[str, Any], number: int) -> int | float:
    low, high = schema.get("minimum"), schema.get("maximum")
    value: int | float = number
    if isinstance(high, int | float):
        value = min(value, high)
    return max(value, low) if isinstance(low, int | float) else value


def _string_of(schema: Mapping[str, Any], number: int, name: str) -> str:
    pattern = _FORMATS.get(str(schema.get("format")))
    text = pattern.format(number) if pattern else text_of(name, number)
    least, most = schema.get("minLength"), schema.get("maxLength")
    if isinstance(least, int) and len(text) < least:
        text = text.ljust(min(least, _MAX_LENGTH), ".")
    return text[:most] if isinstance(most, int) and most > 0 else text
