"""Named values in the shape that a node has at another version: the same pairs, other keys.

A list of names and values was written ``{"string": [{"name", "value"}]}`` first, then
``{"values": [{"name", "type": "stringValue", "stringValue"}]}``, and is
``{"assignments": [{"name", "type", "value"}]}`` now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression, kind_of
from grounded_builder.domains.n8n.parameters.properties import Property

_KINDS = frozenset({"string", "number", "boolean", "array", "object"})
_TYPED = "Value"


@dataclass(frozen=True, slots=True)
class Pair:
    """A name with its value and the kind of that value."""

    name: Any
    kind: str
    value: Any


def carried_over(value: Any, targets: Sequence[Property]) -> tuple[Property, Any] | None:
    """Returns the one parameter that takes these pairs here, with the pairs in its shape."""
    pairs = _read(value)
    if not pairs:
        return None
    written = [(target, _written(target, pairs)) for target in targets]
    taken = [(prop, shape) for prop, shape in written if shape is not None]
    return taken[0] if len(taken) == 1 else None


def _read(value: Any) -> list[Pair] | None:
    if not isinstance(value, Mapping) or not value:
        return None
    if value.keys() == {"assignments"}:
        return _each(value["assignments"], _assigned)
    if value.keys() == {"values"}:
        return _each(value["values"], _typed)
    pairs: list[Pair] = []
    for kind, entries in value.items():
        if kind not in _KINDS:
            return None
        results = _each(entries, partial(_of_kind, kind))
        if results is None:
            return None
        pairs += results
    return pairs


def _each(entries: Any, read: Callable[[Mapping[str, Any]], Pair | None]) -> list[Pair] | None:
    if not isinstance(entries, list):
        return None
    pairs = [read(entry) if isinstance(entry, Mapping) else None for entry in entries]
    known = [pair for pair in pairs if pair is not None]
    return known if len(known) == len(pairs) else None


def _assigned(entry: Mapping[str, Any]) -> Pair | None:
    if not {"name", "value"} <= entry.keys() <= {"id", "name", "type", "value"}:
        return None
    value = entry["value"]
    kind = entry.get("type") or (None if is_expression(value) else kind_of(value))
    return Pair(entry["name"], kind, value) if kind in _KINDS else None


def _typed(entry: Mapping[str, Any]) -> Pair | None:
    """n8n leaves the type out where it is a text."""
    typed = entry.get("type", "string" + _TYPED)
    kind = typed.removesuffix(_TYPED) if isinstance(typed, str) else None
    results = {key for key in entry if key.endswith(_TYPED)}
    if kind not in _KINDS or "name" not in entry or results != {typed}:
        return None
    return Pair(entry["name"], kind, entry[typed])


def _of_kind(kind: str, entry: Mapping[str, Any]) -> Pair | None:
    if entry.keys() != {"name", "value"}:
        return None
    return Pair(entry["name"], kind, entry["value"])


def _written(prop: Property, pairs: Sequence[Pair]) -> Any:
    """Returns the pairs as a parameter takes them; None where it does not."""
    if prop.type == "assignmentCollection":
        listed = [{"name": p.name, "type": p.kind, "value": p.value} for p in pairs]
        return {"assignments": listed}
    if prop.type != "fixedCollection" or prop.multiple is not True:
        return None
    groups = {
        group["name"]: {child.get("name") for child in group.get("values") or ()}
        for group in prop.raw.get("options") or ()
        if isinstance(group, Mapping) and isinstance(group.get("name"), str)
    }
    if groups.keys() <= _KINDS:
        if not all({"name", "value"} <= groups.get(pair.kind, set()) for pair in pairs):
            return None
        shape: dict[str, list[Any]] = {}
        for pair in pairs:
            shape.setdefault(pair.kind, []).append({"name": pair.name, "value": pair.value})
        return shape
    children = groups.get("values", set())
    if len(groups) != 1 or not {"name", "type"} <= children:
        return None
    if not all(pair.kind + _TYPED in children for pair in pairs):
        return None
    typed = [{"name": p.name, "type": p.kind + _TYPED, p.kind + _TYPED: p.value} for p in pairs]
    return {"values": typed}
