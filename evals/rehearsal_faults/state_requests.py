"""States what a workflow sends as expectations, as a person would who knows what it is for.

For each node and kind of request: how many are sent, and with which of the values that the person
wrote into the workflow or that its data has. Values that differ between two rehearsals of the same
workflow are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.rehearsal.match import read_bodies
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal

# Ids, times and boundaries: digits and letters of hexadecimal numbers, and what joins them.
_INVENTED = re.compile(r"[0-9a-f]*\d[0-9a-f:.+TZ-]{3,}|[A-Za-z0-9_-]{60,}")
_LEAST_TEXT = 2
_MOST_FIELDS = 40
_DEEPEST = 8
_MOST_REQUESTS = 20

Sent = tuple[str, str, str, str, Sequence[Any], Mapping[str, str]]


def list_sent(rehearsal: Rehearsal) -> list[Sent]:
    """Returns node, method, host, path, readings of the body and query of each request."""
    sent: list[Sent] = []
    for run in rehearsal.natural_runs:
        for step in run.steps:
            for exchange in step.exchanges:
                request = exchange.request
                kind = request.headers.get("content-type", "")
                bodies = list(read_bodies(request.body, kind))
                place = (request.method, request.host, request.parts.path)
                sent.append((step.step.node, *place, bodies, request.query))
    return sent


def mask_sent(sent: Sequence[Sent]) -> list[str]:
    """Returns requests as texts in which invented ids, times and boundaries are equal."""
    return [_INVENTED.sub("#", json.dumps(item[1:], sort_keys=True)) for item in sent]


def state_expectations(
    first: Sequence[Sent], second: Sequence[Sent], known: str, values: Sequence[str]
) -> list[dict[str, Any]]:
    """Returns expectations that both lists of requests meet.

    ``known`` is the text of the workflow and of the items of its nodes, in which values of the
    requests are looked up, ``values`` are the texts of the items.
    """
    groups: dict[tuple[str, str, str], list[int]] = {}
    for index, (_, method, host, path, _, _) in enumerate(first):
        groups.setdefault((method, host, path), []).append(index)
    stated: list[dict[str, Any]] = []
    is_stable = len(first) == len(second)
    for (method, host, path), indexes in groups.items():
        if not all(s[1:4] == (method, host, path) for s in _take(second, indexes)):
            is_stable = False
            continue
        place = {"method": method, "host": host, "path": path}
        stated.append({"requests": place, "count": len(indexes)})
        for index in indexes[:_MOST_REQUESTS]:
            pairs = zip(first[index][4], second[index][4], strict=False)
            described = [_state_fields(a, b, known, values) for a, b in pairs]
            # The text of a body is stated where it has no fields.
            fields = [item for item in described if item]
            stated += [{"requests": {**place, "body": item}} for item in fields[:-1] or fields]
            query = _state_fields(dict(first[index][5]), dict(second[index][5]), known, values)
            if query:
                stated.append({"requests": {**place, "query": query}})
    if is_stable:
        stated.append({"requests": {}, "count": len(first)})
    hosts = list(dict.fromkeys((s[2], s[3]) for s in first))
    if is_stable and len(hosts) > 1:
        stated.append({"order": [{"host": host, "path": path} for host, path in hosts]})
    unique = {json.dumps(item, sort_keys=True): item for item in stated}
    return list(unique.values())


def _take(sent: Sequence[Sent], indexes: Sequence[int]) -> Iterator[Sent]:
    return (sent[index] for index in indexes if index < len(sent))


def _state_fields(first: Any, second: Any, known: str, values: Sequence[str]) -> Any:
    """Returns the description of a body, None without a field that is known."""
    left = [_MOST_FIELDS]

    def describe(a: Any, b: Any, depth: int) -> Any:
        if depth > _DEEPEST or left[0] <= 0:
            return None
        if isinstance(a, dict) and isinstance(b, dict):
            inner = {key: describe(a[key], b[key], depth + 1) for key in a if key in b}
            kept = {key: value for key, value in inner.items() if value is not None}
            return kept or None
        if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            entries = [describe(x, y, depth + 2) for x, y in zip(a, b, strict=True)]
            kept_entries = [entry for entry in entries if entry is not None]
            return {"contains": kept_entries} if kept_entries else None
        if isinstance(a, dict | list) or isinstance(b, dict | list) or a is None:
            return None
        if a != b or not _is_known(a, known):
            # A text made of values: each of them is stated.
            texts = [v for v in values if isinstance(a, str) and v in a and v in str(b)]
            left[0] -= bool(texts)
            return {"contains": texts[:_MOST_FIELDS]} if texts else None
        left[0] -= 1
        return a

    return describe(first, second, 0)


def _is_known(value: Any, known: str) -> bool:
    if isinstance(value, bool):
        return True
    text = json.dumps(value, ensure_ascii=False).strip('"')
    return len(text) >= _LEAST_TEXT and text in known
