"""Generates the second reply of an ideal drafter, which follows all findings exactly."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

from evals.drafts.stand_ins import with_values
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.n8n.domain import N8N

_TRIES = 6
_GONE = object()
_INNER = frozenset({"parameters", "params", "credentials", "inputs", "position", "notes"})


def second_reply(compilation: Compilation, again: Callable[[Any], Compilation]) -> Any:
    """Returns the draft after following the findings, repeated while ``again`` reports errors."""
    for _ in range(_TRIES):
        document = apply_alternatives(compilation.document, compilation.diagnostics)
        compilation = again(document)
        if compilation.verdict != "wrong":
            break
    return document


def apply_alternatives(document: Any, reported: Iterable[Diagnostic]) -> Any:
    """Returns the document with the first alternative of each finding applied.

    Whatever is wrong without an alternative is removed: a parameter, a connection, a node. Missing
    values, and a missing trigger, are filled in.
    """
    findings = tuple(reported)
    made = copy.deepcopy(document)
    if N8N.reading.read(made).graph is not None:
        made = with_values(made, findings)
    wrong = [finding for finding in findings if finding.rule.kind == "wrong"]
    entries: set[Route] = set()
    for diagnostic in wrong:
        if (
            diagnostic.alternatives
            and diagnostic.token is not None
            and _value_at(made, diagnostic.at) == diagnostic.token
        ):
            _put_value(made, diagnostic.at, diagnostic.alternatives[0])
        else:
            entries.add(diagnostic.at)
    for at in entries:
        _remove_value(made, at)
    return _remove_loose_ends(_remove_gaps(made))


def _value_at(value: Any, route: Route) -> Any:
    for key in route:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def _put_value(document: Any, route: Route, value: Any) -> None:
    held = _value_at(document, route[:-1])
    key: Any = route[-1] if route else None
    if key is not None and isinstance(held, dict | list):
        held[key] = value


def _remove_value(document: Any, route: Route) -> None:
    """Removes the value at a route; for the type of a node the node, for an edge its target."""
    if route[:1] == ("connections",) and len(route) > 4:
        # An empty edge has no target and is removed with the loose ends.
        _put_value(document, route[:5], {})
        return
    if len(route) >= 3 and route[0] in ("nodes", "steps") and route[2] not in _INNER:
        route = route[:2]
    held = _value_at(document, route[:-1])
    key = route[-1] if route else None
    if isinstance(held, dict) and key in held:
        held[key] = _GONE
    elif isinstance(held, list) and isinstance(key, int) and key < len(held):
        # The position of an output in connections must not change.
        held[key] = [] if route[0] == "connections" else _GONE


def _remove_gaps(value: Any) -> Any:
    """Returns a value without the removed parts, which have kept the positions until now."""
    if isinstance(value, dict):
        return {key: _remove_gaps(item) for key, item in value.items() if item is not _GONE}
    if isinstance(value, list):
        return [_remove_gaps(item) for item in value if item is not _GONE]
    return value


def _remove_loose_ends(document: Any) -> Any:
    """Returns a workflow without connections of missing nodes."""
    if not isinstance(document, dict) or not isinstance(document.get("connections"), dict):
        return document
    nodes = document.get("nodes")
    names = {node.get("name") for node in nodes or [] if isinstance(node, dict)}
    entries: dict[str, Any] = {}
    for source, kinds in document["connections"].items():
        if source in names and isinstance(kinds, dict):
            entries[source] = {
                kind: [_filter_known(slot, names) for slot in _to_list(slots)]
                for kind, slots in kinds.items()
            }
    return {**document, "connections": entries}


def _filter_known(slot: Any, names: set[Any]) -> list[Any]:
    return [end for end in _to_list(slot) if isinstance(end, dict) and end.get("node") in names]


def _to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
