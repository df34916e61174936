"""Remembers in one run what nodes created, so that a later request gets it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DEEPEST = 3
_MOST = 1_000
_ID_KEYS = ("id", "_id", "gid", "uuid", "key", "ts")


class Memory:
    """What was created and asked for in one run."""

    def __init__(self) -> None:
        self._created: dict[str, Mapping[str, Any]] = {}
        self._first_pages: dict[str, tuple[str, ...]] = {}
        self._later_pages: dict[str, int] = {}
        self._number = 0

    def next_number(self) -> int:
        """Returns a number that was not given before."""
        self._number += 1
        return self._number

    def count_later_pages(self, list_name: str, page: tuple[str, ...]) -> int:
        """Returns how often another page of this list was asked for than the first, so far."""
        if self._first_pages.setdefault(list_name, page) == page:
            return 0
        self._later_pages[list_name] = self._later_pages.get(list_name, 0) + 1
        return self._later_pages[list_name]

    def keep(self, value: Mapping[str, Any]) -> None:
        """Remembers an object by its id."""
        for key in _ID_KEYS:
            if isinstance(value.get(key), str | int) and len(self._created) < _MOST:
                self._created[str(value[key])] = value
                return

    def recall(self, object_id: str) -> Mapping[str, Any]:
        """Returns the object with an id, empty if there is none."""
        return self._created.get(object_id, {})


def with_id(value: dict[str, Any], object_id: str) -> dict[str, Any]:
    """Returns the object with an id in the place and type that it has there."""
    for key in _ID_KEYS[:4]:
        if key in value:
            if isinstance(value[key], int) and not isinstance(value[key], bool):
                return {**value, key: int(object_id)} if object_id.isdecimal() else value
            return {**value, key: object_id}
    return value


def echo(value: Any, sent: Mapping[str, Any], depth: int = 0) -> Any:
    """Returns the value with the fields that were sent, wherever it has such a field."""
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return value
    return {
        key: sent[key] if key in sent and _is_alike(own, sent[key]) else echo(own, sent, depth + 1)
        for key, own in value.items()
    }


def wrap_in_envelope(value: dict[str, Any], sent: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the object also under the one field that the request has around its object.

    ``{"ticket": {...}}`` is answered by ``{"ticket": {...}}``, and a list by a list.
    """
    if len(sent) != 1:
        return value
    ((field, content),) = sent.items()
    bare = {key: item for key, item in value.items() if key != field}
    if isinstance(content, Mapping):
        return {**value, field: {**bare, **content}}
    if isinstance(content, list) and content and all(isinstance(x, Mapping) for x in content):
        return {**value, field: [{**bare, **item} for item in content[:_MOST]]}
    return value


def _is_alike(first: Any, second: Any) -> bool:
    numbers = (int, float)
    if isinstance(first, bool) or isinstance(second, bool):
        return isinstance(first, bool) and isinstance(second, bool)
    if isinstance(first, numbers) and isinstance(second, numbers):
        return True
    return first is None or isinstance(second, type(first))
