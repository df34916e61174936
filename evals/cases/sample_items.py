"""Makes the item with which a trigger begins, from what a scenario states about its data.

The names of fields are those of a workflow that is written later: a form calls a field "Your
email", a webhook reads ``customerName``. The values are found by the words of the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.n8n.trial.expected_fields import read_shapes
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SESSION = "rehearsed-session"


def make_items(
    sample: Mapping[str, Any] | None, trigger: ResolvedNode, resolved: ResolvedGraph
) -> list[dict[str, Any]]:
    """Returns the items of a trigger; none where the scenario states none.

    A sample has ``items``, the ``body`` of a webhook (in several ``styles`` of names), the fields
    of a ``form``, or the text of a ``chat``.
    """
    if sample is None:
        return []
    if "items" in sample:
        return list(sample["items"])
    if "chat" in sample:
        message = {"sessionId": _SESSION, "action": "sendMessage", "chatInput": sample["chat"]}
        return [message]
    if "form" in sample:
        return [dict(_fill_form(sample["form"], trigger))]
    body = dict(sample["body"])
    if sample.get("styles"):
        body = {**_in_all_styles(body), **_as_read(body, trigger, resolved)}
    return [{"headers": {}, "params": {}, "query": {}, "body": body}]


def _fill_form(values: Mapping[str, Any], trigger: ResolvedNode) -> Iterator[tuple[str, Any]]:
    declared = trigger.node.params.get("formFields")
    listed = declared.get("values") if isinstance(declared, Mapping) else None
    for form_field in listed or ():
        names = [form_field.get(key) for key in ("fieldName", "fieldLabel")]
        texts = [name for name in names if isinstance(name, str) and name]
        key = next((key for name in texts if (key := _match(name, values)) is not None), None)
        if key is not None:
            value = _choose_option(values[key], form_field)
            yield from ((name, value) for name in texts)
    yield "submittedAt", "2026-11-23T10:00:00.000Z"
    yield "formMode", "production"


def _choose_option(value: Any, form_field: Mapping[str, Any]) -> Any:
    """Returns the option of a dropdown that is written like the value, or the value."""
    options = form_field.get("fieldOptions")
    listed = options.get("values", ()) if isinstance(options, Mapping) else ()
    named = [str(item.get("option")) for item in listed if isinstance(item, Mapping)]
    return next((name for name in named if name.casefold() == str(value).casefold()), value)


def _as_read(
    body: Mapping[str, Any], trigger: ResolvedNode, resolved: ResolvedGraph
) -> dict[str, Any]:
    """Returns the values under the names by which the workflow reads the body."""
    shape = read_shapes(resolved, frozenset({trigger.node.name}))[trigger.node.name]
    read = shape.fields.get("body")
    names = read.fields if read is not None else {}
    return {name: body[key] for name in names if (key := _match(name, body)) is not None}


def _in_all_styles(body: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in body.items():
        first, *rest = _words(name)
        out["".join([first, *(word.title() for word in rest)])] = value
    return {**out, **body}


def _match(name: str, values: Mapping[str, Any]) -> str | None:
    """Returns the key that has the words of a name, or else most of them."""
    words = set(_words(name))
    scores = {key: _likeness(words, set(_words(key))) for key in values}
    best = max(scores, key=lambda key: scores[key], default=None)
    return best if best is not None and scores[best] > 0 else None


def _likeness(words: set[str], others: set[str]) -> float:
    union = words | others
    return len(words & others) / len(union) if union else 0.0


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(name)]
