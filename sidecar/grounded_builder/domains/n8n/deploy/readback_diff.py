"""Compare what n8n stored with what was sent: everything sent is there, unchanged.

n8n adds and drops a few things by itself; each is a named exception below, measured on
n8n 2.41.1. Anything else is a difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic, to_pointer

STORED_DIFFERENTLY = Rule.wrong(
    "N8N504", "stored-differently", "ImportError", "n8n stored something other than what was sent."
)

_SHOWN = 60
_LISTED = 5
# Given to a node that has none: an id, and one for the webhook of a trigger.
_ADDED_TO_NODES = frozenset({"id", "webhookId"})
# Taken by the public API and not kept: they belong to n8n's editor and to its resolvers.
_DROPPED_SETTINGS = frozenset({"binaryMode", "credentialResolverId"})
# Not kept by an update, because they say what holds without them.
_DEFAULT_SETTINGS: Mapping[str, Any] = {
    "errorWorkflow": "DEFAULT",
    "timezone": "DEFAULT",
    "saveDataErrorExecution": "DEFAULT",
    "saveDataSuccessExecution": "DEFAULT",
    "saveManualExecutions": "DEFAULT",
    "saveExecutionProgress": "DEFAULT",
    "executionTimeout": -1,
    "redactionPolicy": "none",
}
# Where the workflow is put, not what it is.
_PLACED = frozenset({"projectId", "parentFolderId", "shared"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A place at which the stored workflow is not the sent one; ``None`` for what is absent."""

    at: Route
    sent: Any
    stored: Any


def differences(
    sent: Mapping[str, Any], stored: Mapping[str, Any], entries: Mapping[str, Any] | None = None
) -> tuple[Difference, ...]:
    """Returns all places that differ, in the order of the sent document.

    ``kept`` are settings of the version before: an update leaves in place what it does not mention.
    """
    return tuple(_workflow(sent, stored, entries or {}))


def stored_differently(found_: tuple[Difference, ...]) -> Diagnostic:
    """Returns one finding for all differences, the first ones quoted."""
    shown = "; ".join(
        f"{to_pointer(change.at)}: sent {_quoted(change.sent)}, stored {_quoted(change.stored)}"
        for change in found_[:_LISTED]
    )
    more = f"; and {len(found_) - _LISTED} more" if len(found_) > _LISTED else ""
    return new_diagnostic(
        STORED_DIFFERENTLY,
        found_[0].at,
        f"n8n stored something else than was sent: {shown}{more}",
        help="change the workflow so that n8n keeps it as it is; the import was undone",
    )


def same(one: Any, other: Any) -> bool:
    """Returns whether two JSON values are equal to JavaScript, which has one kind of number."""
    return next(_values(one, other, ()), None) is None


def _workflow(
    sent: Mapping[str, Any], stored: Mapping[str, Any], entries: Mapping[str, Any]
) -> Iterator[Difference]:
    for key, value in sent.items():
        here = stored.get(key)
        if key == "nodes":
            yield from _nodes(value, here, ("nodes",))
        elif key == "settings":
            yield from _settings(value, here, entries)
        elif key == "staticData":
            yield from _values(_decoded(value), here, ("staticData",))
        elif key not in _PLACED:
            yield from _values(value, here, (key,))


def _nodes(sent: Any, stored: Any, at: Route) -> Iterator[Difference]:
    if not isinstance(sent, list) or not isinstance(stored, list) or len(sent) != len(stored):
        yield Difference(at, _count(sent), _count(stored))
        return
    for index, (item, other) in enumerate(zip(sent, stored, strict=True)):
        here = (*at, index)
        if not isinstance(item, dict) or not isinstance(other, dict):
            yield from _values(item, other, here)
            continue
        for key, value in item.items():
            if key == "credentials":
                yield from _credentials(value, other.get(key), (*here, key))
            elif key not in other:
                yield Difference((*here, key), value, None)
            else:
                yield from _values(value, other[key], (*here, key))
        for key in sorted(other.keys() - item.keys() - _ADDED_TO_NODES):
            yield Difference((*here, key), None, other[key])


def _credentials(sent: Any, stored: Any, at: Route) -> Iterator[Difference]:
    """Yields a credential is its id; n8n writes its present name beside it."""
    if not isinstance(sent, dict) or not isinstance(stored, dict):
        yield from _values(sent, stored, at)
        return
    for kind in {**sent, **stored}:
        value, other = sent.get(kind), stored.get(kind)
        if not _same_credential(value, other):
            yield from _values(value, other, (*at, kind))


def _same_credential(one: Any, other: Any) -> bool:
    both = isinstance(one, dict) and isinstance(other, dict)
    return both and bool(one.get("id")) and one.get("id") == other.get("id")


def _settings(sent: Any, stored: Any, entries: Mapping[str, Any]) -> Iterator[Difference]:
    at: Route = ("settings",)
    if not isinstance(sent, dict) or not isinstance(stored, dict):
        yield from _values(sent, stored, at)
        return
    for key, value in sent.items():
        if key in stored:
            yield from _values(value, stored[key], (*at, key))
        elif key not in _DROPPED_SETTINGS and not _is_default(key, value):
            yield Difference((*at, key), value, None)
    for key in sorted(stored.keys() - sent.keys()):
        if key not in entries or not same(stored[key], entries[key]):
            yield Difference((*at, key), None, stored[key])


def _is_default(key: str, value: Any) -> bool:
    return key in _DEFAULT_SETTINGS and same(value, _DEFAULT_SETTINGS[key])


def _values(sent: Any, stored: Any, at: Route) -> Iterator[Difference]:
    if isinstance(sent, dict) and isinstance(stored, dict):
        for key in {**sent, **stored}:
            if key in sent and key in stored:
                yield from _values(sent[key], stored[key], (*at, key))
            else:
                yield Difference((*at, key), sent.get(key), stored.get(key))
    elif isinstance(sent, list | tuple) and isinstance(stored, list):
        if len(sent) != len(stored):
            yield Difference(at, _count(sent), _count(stored))
            return
        for index, (item, other) in enumerate(zip(sent, stored, strict=True)):
            yield from _values(item, other, (*at, index))
    elif not _equal(sent, stored):
        yield Difference(at, sent, stored)


def _equal(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return _double(one) == _double(other)
    return type(one) is type(other) and bool(one == other)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _decoded(value: Any) -> Any:
    """Static data may be sent as text that holds JSON."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _count(value: Any) -> Any:
    return f"a list of {len(value)}" if isinstance(value, list | tuple) else value


def _quoted(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else repr(value)
    return f'"{text[:_SHOWN]}…"' if len(text) > _SHOWN else f'"{text}"'
