"""Converts conditions and routing rules of the first versions to filters.

If and Filter 1 have conditions by type, each with ``value1``, ``operation`` and ``value2``. Switch
1 and 2 have one ``value1`` and rules with ``operation``, ``value2`` and ``output``. The catalog's
declaration of that version supplies the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Edit, Fix, Route
from grounded_builder.domains.n8n.parameters.filter_conditions import OPERATIONS
from grounded_builder.domains.n8n.parameters.findings import Subject
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    is_expression,
    kind_of,
)
from grounded_builder.domains.n8n.parameters.operators import find_operation
from grounded_builder.domains.n8n.parameters.place import Place
from grounded_builder.domains.n8n.parameters.properties import Property, only_dicts

_COMBINATORS = {"all": "and", "any": "or", "AND": "and", "OR": "or"}
_LOOSE = "looseTypeValidation"
_UNARY = frozenset({"exists", "notExists", "empty", "notEmpty", "true", "false"})
_NONE = -1

Declared = Mapping[str, Any]


def convert_old_conditions(subject: Subject, place: Place, name: str) -> Fix | None:
    """Returns the fix that writes a root value of old conditions or rules as filters, else None."""
    value, target = place.given[name], place.list_shown(name)
    if len(target) != 1 or not isinstance(value, dict):
        return None
    for declared in _list_old_declarations(subject, name):
        edits: tuple[Edit, ...] | None = None
        if target[0].type == "filter":
            edits = _convert_conditions(subject, place, name, declared)
        elif _find_filter(subject, target[0]) is not None:
            edits = _convert_rules(subject, place, target[0], declared)
        if edits is not None:
            version = f"version {subject.spec.version:g}"
            return Fix(True, edits, f'"{name}" is written as {version} reads it')
    return None


def _list_old_declarations(subject: Subject, name: str) -> Iterator[dict[str, Declared]]:
    """Yields the parameters of each version in which the name has operations, by name."""
    for variant in subject.registry.tool(subject.spec.id)["variants"]:
        if subject.spec.version in variant["versions"]:
            continue
        by_name: dict[str, Declared] = {}
        for item in variant["parameters"]:
            by_name.setdefault(str(item.get("name")), item)
        if name in by_name and by_name[name].get("type") == "fixedCollection":
            yield by_name


def _convert_conditions(
    subject: Subject, place: Place, name: str, declared: Mapping[str, Declared]
) -> tuple[Edit, ...] | None:
    groups = {str(item.get("name")): item for item in only_dicts(declared[name].get("options"))}
    value = place.given[name]
    if not value or not value.keys() <= groups.keys() & OPERATIONS.keys():
        return None
    conditions: list[dict[str, Any]] = []
    for kind, entries in value.items():
        defaults = _read_defaults(groups[kind])
        for entry in entries if isinstance(entries, list) else [None]:
            condition = _convert_entry(entry, kind, defaults)
            if condition is None:
                return None
            conditions.append(condition)
    combining = _find_combining(declared)
    chosen = place.given.get(combining, declared.get(combining, {}).get("default"))
    combinator = _COMBINATORS.get(str(chosen))
    if combinator is None:
        return None
    written = _write_filter(conditions, combinator, place)
    dropped = [combining] if combining in place.given else []
    return (
        Edit("set", subject.at((name,)), written),
        *_loosen(subject, place),
        *(Edit("remove", subject.at((key,))) for key in dropped),
    )


def _convert_rules(
    subject: Subject, place: Place, target: Property, declared: Mapping[str, Declared]
) -> tuple[Edit, ...] | None:
    """Returns the edits for rules whose outputs are those that the order of filters gives."""
    given = place.given
    entries = next(iter(given[target.name].values()), None)
    group = next(iter(only_dicts(declared[target.name].get("options"))), {})
    if len(given[target.name]) != 1 or group.get("name") not in given[target.name]:
        return None
    kind = given.get("dataType") or _infer_kind(entries, declared)
    if kind not in OPERATIONS or not isinstance(entries, list) or "value1" not in given:
        return None
    defaults = {**_read_defaults(group), "value1": given["value1"]}
    by_output: dict[int, list[dict[str, Any]]] = {}
    for entry in entries:
        output = entry.get("output", defaults.get("output")) if isinstance(entry, dict) else None
        plain = {k: v for k, v in entry.items() if k != "output"} if output is not None else None
        condition = _convert_entry(plain, str(kind), defaults)
        if condition is None or not isinstance(output, int):
            return None
        by_output.setdefault(output, []).append(condition)
    fallback = given.get("fallbackOutput", _NONE)
    count = len(by_output)
    if sorted(by_output) != list(range(count)) or fallback not in (_NONE, *range(count + 1)):
        return None
    inner = _find_filter(subject, target)
    if inner is None:
        return None
    outer = next(iter(only_dicts(target.raw.get("options"))))["name"]
    rules = [{inner.name: _write_filter(by_output[index], "or", place)} for index in range(count)]
    old = [key for key in ("dataType", "value1", "fallbackOutput") if key in given]
    fall: tuple[Edit, ...] = ()
    if fallback != _NONE:
        if "options" in given:
            return None
        choice = "extra" if fallback == count else fallback
        fall = (Edit("set", subject.at(("options",)), {"fallbackOutput": choice}),)
    return (
        Edit("set", subject.at((target.name,)), {outer: rules}),
        *_loosen(subject, place),
        *fall,
        *(Edit("remove", subject.at((key,))) for key in old),
    )


def _infer_kind(entries: Any, declared: Mapping[str, Declared]) -> Any:
    """Returns the default type, or that of the compared values where all have another one."""
    values = [entry.get("value2") for entry in only_dicts(entries)]
    kinds = {kind_of(value) for value in values if not is_expression(value)}
    default = declared.get("dataType", {}).get("default")
    return kinds.pop() if len(kinds) == 1 and default not in kinds else default


def _read_defaults(group: Declared) -> dict[str, Any]:
    return {
        str(child.get("name")): child.get("default") for child in only_dicts(group.get("values"))
    }


def _convert_entry(entry: Any, kind: str, defaults: Mapping[str, Any]) -> dict[str, Any] | None:
    if not isinstance(entry, dict) or not entry.keys() <= {"value1", "operation", "value2"}:
        return None
    filled = {**defaults, **entry}
    operation = find_operation(str(filled.get("operation")), OPERATIONS[kind])
    if operation is None:
        return None
    operator: dict[str, Any] = {"type": kind, "operation": operation}
    if operation in _UNARY:
        operator["singleValue"] = True
    return {
        "leftValue": filled.get("value1"),
        "rightValue": "" if operation in _UNARY else filled.get("value2"),
        "operator": operator,
    }


def _write_filter(
    conditions: list[dict[str, Any]], combinator: str, place: Place
) -> dict[str, Any]:
    """Returns a filter; where a setting of the node loosens it, its options follow from that."""
    written = {"conditions": conditions, "combinator": combinator}
    if place.list_shown(_LOOSE):
        return written
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "loose"}
    return {"options": options, **written}


def _loosen(subject: Subject, place: Place) -> Iterator[Edit]:
    """Yields the setting that keeps the comparison without regard to types of the old versions."""
    if _LOOSE not in place.given and place.list_shown(_LOOSE):
        at: Route = subject.at((_LOOSE,))
        yield Edit("set", at, True)


def _find_combining(declared: Mapping[str, Declared]) -> str:
    """Returns the parameter whose choices combine conditions, "" if there is none."""
    for name, item in declared.items():
        values = {entry.get("value") for entry in only_dicts(item.get("options"))}
        if item.get("type") == "options" and values and values <= _COMBINATORS.keys():
            return name
    return ""


def _find_filter(subject: Subject, target: Property) -> Property | None:
    """Returns the filter in the only group of a list, None if there is none."""
    groups = only_dicts(target.raw.get("options"))
    if target.type != "fixedCollection" or len(groups) != 1:
        return None
    level = subject.spec.declarations.group(target, str(groups[0].get("name")))
    return (
        next((prop for prop in level.properties if prop.type == "filter"), None) if level else None
    )
