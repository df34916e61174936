"""Finds the draft inside wrapping objects, and adds their name, settings and other keys to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from grounded_builder.compiler.duplicate_keys import find_duplicate_keys
from grounded_builder.compiler.parse import SEVERAL_DOCUMENTS, holds_more_values, parse
from grounded_builder.compiler.unread_keys import report_unused, states_nothing
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.ir.options import Limits
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

_MAX_DEPTH = 4
_MAX_TRIED = 200

IsDraft = Callable[[Any], bool]


def unwrap(
    document: Any, is_draft: IsDraft, limits: Limits
) -> tuple[Any, Route, tuple[Diagnostic, ...]]:
    """Returns the draft inside an object, its route, and the findings about what is around it.

    What the objects around it state becomes part of the draft, which comes first where both state
    something. An object that holds no draft is returned as it is; different drafts are an error.
    """
    if not isinstance(document, dict):
        return document, (), ()
    search = _Search(is_draft, limits)
    matches = list(search.find(document, ()))
    if not matches:
        return document, (), ()
    route, draft, notes = matches[0]
    if any(other != draft for _, other, _ in matches[1:]):
        places = ", ".join(_name(place) for place, _, _ in matches)
        message = f"the draft contains {len(matches)} different documents: {places}"
        fault = new_diagnostic(SEVERAL_DOCUMENTS, (), message, help="send one of them")
        return document, (), (fault,)
    findings = [new_diagnostic(LOOSE_SHAPE, (), f"the draft was read from {_name(route)}"), *notes]
    merged = {"steps": draft} if isinstance(draft, list) else draft
    holders = [document]
    for part in route[:-1]:
        holders.append(holders[-1][part])
    for depth in reversed(range(len(holders))):
        merged, unused = _merge(holders[depth], merged, route[: depth + 1])
        findings += unused
    return merged, route, tuple(findings)


class _Search:
    """A search for drafts that tries a limited number of values."""

    def __init__(self, is_draft: IsDraft, limits: Limits) -> None:
        self.is_draft, self.limits = is_draft, limits
        self.left = _MAX_TRIED

    def find(
        self, holder: Mapping[str, Any], at: Route
    ) -> Iterator[tuple[Route, Any, tuple[Diagnostic, ...]]]:
        """Yields the route of each draft in an object, the draft, and the findings in its text."""
        for key, content in holder.items():
            if self.left <= 0:
                return
            value: Any = content
            notes: tuple[Diagnostic, ...] = ()
            is_text = isinstance(content, str)
            if is_text:
                value, notes = self._parse_text(content)
            if not isinstance(value, dict | list):
                continue
            self.left -= 1
            if self.is_draft(value):
                yield (*at, key), value, notes
            elif isinstance(value, dict) and not is_text and len(at) + 1 < _MAX_DEPTH:
                yield from self.find(value, (*at, key))

    def _parse_text(self, text: str) -> tuple[Any, tuple[Diagnostic, ...]]:
        """Returns the value of a text that is JSON within the limits, and its repeated keys."""
        raw = text.strip().encode("utf-8", "surrogatepass")
        if raw[:1] not in (b"{", b"[") or holds_more_values(raw, self.limits.values):
            return None, ()
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            return None, ()
        if parse(value, self.limits)[1]:
            return None, ()
        return value, find_duplicate_keys(text, value)


def _merge(
    holder: Mapping[str, Any], draft: Mapping[str, Any], route: Route
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Returns a draft with what the object around it states, and what the draft states otherwise.

    ``route`` is that of the value in the object that has the draft.
    """
    merged, findings = dict(draft), []
    for key, value in holder.items():
        if key == route[-1] or states_nothing(value):
            continue
        if states_nothing(merged.get(key)):
            merged[key] = value
        elif merged[key] != value:
            reason = f"differs from that in {_name(route)}"
            findings.append(report_unused(key, (*route[:-1], key), reason, "write one value"))
    return merged, findings


def _name(route: Route) -> str:
    return '"' + ".".join(map(str, route))[:80] + '"'


def drop_prefix(diagnostics: tuple[Diagnostic, ...], route: Route) -> tuple[Diagnostic, ...]:
    """Returns findings in a text with their routes relative to the draft at a route of it."""
    return tuple(
        replace(d, at=d.at[len(route) :]) if route and d.at[: len(route)] == route else d
        for d in diagnostics
    )
