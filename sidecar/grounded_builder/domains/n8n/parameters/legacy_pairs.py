"""Converts name-value-type lists of another version (such as assignments) to this one's shape.

The oldest shape is ``{"string": [{"name", "value"}]}``, the next
``{"values": [{"name", "type": "stringValue", "stringValue"}]}``, and the current one
``{"assignments": [{"name", "type", "value"}]}``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression, kind_of
from grounded_builder.domains.n8n.parameters.properties import Property

_KINDS = frozenset({"string", "number", "boolean", "array", "object"})
_TYPE_SUFFIX = "Value"


@dataclass(frozen=True, slots=True)
class Pair:
    """A name with its value and the value's type."""

    name: Any
    kind: str
    value: Any


def convert_pairs(value: Any, targets: Sequence[Property]) -> tuple[Property, Any] | None:
    """Returns the only parameter that takes these pairs, with the pairs in its shape."""
    pairs = _read_pairs(value)
    if not pairs:
        return None
    shapes = [(target, _write_pairs(target, pairs)) for target in targets]
    fitting = [(prop, shape) for prop, shape in shapes if shape is not None]
    return fitting[0] if len(fitting) == 1 else None


def _read_pairs(value: Any) -> list[Pair] | None:
    if not isinstance(value, Mapping) or not value:
        return None
    if value.keys() == {"assignments"}:
        return _read_entries(value["assignments"], _read_assignment)
    if value.keys() == {"values"}:
        return _read_entries(value["values"], _read_typed_pair)
    pairs: list[Pair] = []
    for kind, entries in value.items():
        if kind not in _KINDS:
            return None
        pairs_of_kind = _read_entries(entries, partial(_read_pair, kind))
        if pairs_of_kind is None:
            return None
        pairs += pairs_of_kind
    return pairs


def _read_entries(
    entries: Any, read: Callable[[Mapping[str, Any]], Pair | None]
) -> list[Pair] | None:
    if not isinstance(entries, list):
        return None
    pairs = [read(entry) if isinstance(entry, Mapping) else None for entry in entries]
    known = [pair for pair in pairs if pair is not None]
    return known if len(known) == len(pairs) else None


def _read_assignment(entry: Mapping[str, Any]) -> Pair | None:
    if not {"name", "value"} <= entry.keys() <= {"id", "name", "type", "value"}:
        return None
    value = entry["value"]
    kind = entry.get("type") or (None if is_expression(value) else kind_of(value))
    return Pair(entry["name"], kind, value) if kind in _KINDS else None


def _read_typed_pair(entry: Mapping[str, Any]) -> Pair | None:
    """Reads a pair with a type; n8n omits the type of a text."""
    typed = entry.get("type", "string" + _TYPE_SUFFIX)
    kind = typed.removesuffix(_TYPE_SUFFIX) if isinstance(typed, str) else None
    value_keys = {key for key in entry if key.endswith(_TYPE_SUFFIX)}
    if kind not in _KINDS or "name" not in entry or value_keys != {typed}:
        return None
    return Pair(entry["name"], kind, entry[typed])


def _read_pair(kind: str, entry: Mapping[str, Any]) -> Pair | None:
    if entry.keys() != {"name", "value"}:
        return None
    return Pair(entry["name"], kind, entry["value"])


def _write_pairs(prop: Property, pairs: Sequence[Pair]) -> Any:
    """Returns the pairs in the shape of a parameter, None if it does not take them."""
    if prop.type == "assignmentCollection":
        assignments = [{"name": p.name, "type": p.kind, "value": p.value} for p in pairs]
        return {"assignments": assignments}
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
    if not all(pair.kind + _TYPE_SUFFIX in children for pair in pairs):
        return None
    typed = [
        {"name": p.name, "type": p.kind + _TYPE_SUFFIX, p.kind + _TYPE_SUFFIX: p.value}
        for p in pairs
    ]
    return {"values": typed}
