"""Compares a sent workflow with the one that n8n stored, and reports all differences.

n8n adds and drops a few fields by itself; each is a named exception below, measured on n8n 2.41.1.
Anything else is a difference.
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
# Added to a node without them: an id, and one for the webhook of a trigger.
_ADDED_TO_NODES = frozenset({"id", "webhookId"})
# Accepted by the public API and not stored: fields of n8n's editor and its resolvers.
_DROPPED_SETTINGS = frozenset({"binaryMode", "credentialResolverId"})
# Not stored by an update, because they equal the defaults.
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
# The location of the workflow, not its content.
_PLACED = frozenset({"projectId", "parentFolderId", "shared"})


@dataclass(frozen=True, slots=True)
class Difference:
    """A place at which the stored workflow differs from the sent one; ``None`` for an
    absent value.
    """

    at: Route
    sent: Any
    stored: Any


def differences(
    sent: Mapping[str, Any], stored: Mapping[str, Any], previous: Mapping[str, Any] | None = None
) -> tuple[Difference, ...]:
    """Returns all places that differ, in the order of the sent document.

    ``previous`` are the settings of the version before: an update leaves unmentioned settings in
    place.
    """
    return tuple(_workflow(sent, stored, previous or {}))


def stored_differently(places: tuple[Difference, ...]) -> Diagnostic:
    """Returns one finding for all differences, with the first ones quoted."""
    shown = "; ".join(
        f"{to_pointer(change.at)}: sent {_quote(change.sent)}, stored {_quote(change.stored)}"
        for change in places[:_LISTED]
    )
    more = f"; and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return new_diagnostic(
        STORED_DIFFERENTLY,
        places[0].at,
        f"n8n stored a different workflow than was sent: {shown}{more}",
        help="change the workflow so that n8n stores it unchanged; the import was undone",
    )


def are_equal(left: Any, right: Any) -> bool:
    """Returns whether two JSON values are equal in JavaScript, which has one kind of number."""
    return next(_values(left, right, ()), None) is None


def _workflow(
    sent: Mapping[str, Any], stored: Mapping[str, Any], previous: Mapping[str, Any]
) -> Iterator[Difference]:
    for key, value in sent.items():
        here = stored.get(key)
        if key == "nodes":
            yield from _nodes(value, here, ("nodes",))
        elif key == "settings":
            yield from _settings(value, here, previous)
        elif key == "staticData":
            yield from _values(_decode(value), here, ("staticData",))
        elif key not in _PLACED:
            yield from _values(value, here, (key,))


def _nodes(sent: Any, stored: Any, at: Route) -> Iterator[Difference]:
    if not isinstance(sent, list) or not isinstance(stored, list) or len(sent) != len(stored):
        yield Difference(at, _count(sent), _count(stored))
        return
    for index, (sent_node, stored_node) in enumerate(zip(sent, stored, strict=True)):
        here = (*at, index)
        if not isinstance(sent_node, dict) or not isinstance(stored_node, dict):
            yield from _values(sent_node, stored_node, here)
            continue
        for key, value in sent_node.items():
            if key == "credentials":
                yield from _credentials(value, stored_node.get(key), (*here, key))
            elif key not in stored_node:
                yield Difference((*here, key), value, None)
            else:
                yield from _values(value, stored_node[key], (*here, key))
        for key in sorted(stored_node.keys() - sent_node.keys() - _ADDED_TO_NODES):
            yield Difference((*here, key), None, stored_node[key])


def _credentials(sent: Any, stored: Any, at: Route) -> Iterator[Difference]:
    """Compares credentials by id; n8n adds the current name."""
    if not isinstance(sent, dict) or not isinstance(stored, dict):
        yield from _values(sent, stored, at)
        return
    for kind in {**sent, **stored}:
        value, other = sent.get(kind), stored.get(kind)
        if not _same_credential(value, other):
            yield from _values(value, other, (*at, kind))


def _same_credential(left: Any, right: Any) -> bool:
    both = isinstance(left, dict) and isinstance(right, dict)
    return both and bool(left.get("id")) and left.get("id") == right.get("id")


def _settings(sent: Any, stored: Any, previous: Mapping[str, Any]) -> Iterator[Difference]:
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
        if key not in previous or not are_equal(stored[key], previous[key]):
            yield Difference((*at, key), None, stored[key])


def _is_default(key: str, value: Any) -> bool:
    return key in _DEFAULT_SETTINGS and are_equal(value, _DEFAULT_SETTINGS[key])


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
        for index, (sent_item, stored_item) in enumerate(zip(sent, stored, strict=True)):
            yield from _values(sent_item, stored_item, (*at, index))
    elif not _equal(sent, stored):
        yield Difference(at, sent, stored)


def _equal(left: Any, right: Any) -> bool:
    if _is_number(left) and _is_number(right):
        return _double(left) == _double(right)
    return type(left) is type(right) and bool(left == right)


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _decode(value: Any) -> Any:
    """Returns static data decoded from text that contains JSON."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _count(value: Any) -> Any:
    return f"a list of {len(value)}" if isinstance(value, list | tuple) else value


def _quote(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else repr(value)
    return f'"{text[:_SHOWN]}…"' if len(text) > _SHOWN else f'"{text}"'
