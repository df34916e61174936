"""Converts a drafted value into the shape of its parameter, where nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.domains.n8n.lower.conditions import as_filter
from grounded_builder.domains.n8n.lower.durations import read_unit
from grounded_builder.domains.n8n.lower.schedule import as_schedule
from grounded_builder.domains.n8n.parameters.account_values import takes_own_text
from grounded_builder.domains.n8n.parameters.locators import locate
from grounded_builder.domains.n8n.parameters.mappings import as_mapping
from grounded_builder.domains.n8n.parameters.placeholders import is_braced_stand_in
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property

# An expression that reads data of nodes; other double braces can belong to a template.
_DATA = re.compile(r"\{\{[^{}]{0,200}\$(?:json|node|input|\(|now|today|items|vars)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def fit_shape(value: Any, declared: Property) -> Any:
    """Returns the value in the parameter's shape: an expression marked, a locator or
    list wrapped.
    """
    kind = declared.type
    if kind == "filter":
        return as_filter(value)
    if isinstance(value, str) and not (takes_own_text(declared) and is_braced_stand_in(value)):
        value = as_expression(value, declared)
    if kind in LOCATORS:
        return _as_locator(value, declared)
    if kind in ("options", "multiOptions"):
        return _as_option(value, declared)
    if kind == "boolean" and isinstance(value, str) and value.casefold() in ("true", "false"):
        return value.casefold() == "true"
    if kind == "number" and isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value) if "." in value else int(value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind == "resourceMapper":
        return as_mapping(value)
    if kind == "assignmentCollection":
        return _as_assignments(value)
    if kind == "fixedCollection":
        return _as_groups(_mark_inside(as_schedule(value, declared), declared), declared)
    return _mark_inside(value, declared) if kind == "collection" else value


def _mark_inside(value: Any, declared: Property) -> Any:
    """Returns the entries of a collection with the texts in them that read data marked.

    Texts of code, and of parameters that are no expressions, stay.
    """
    options = [option for option in declared.raw.get("options") or () if isinstance(option, dict)]
    fields = [field for option in options for field in (option, *(option.get("values") or ()))]
    literal = {
        field.get("name")
        for field in fields
        if isinstance(field, dict)
        and (field.get("noDataExpression") or "editor" in (field.get("typeOptions") or {}))
    }

    def mark(inner: Any, name: str) -> Any:
        if isinstance(inner, dict):
            return {key: mark(item, str(key)) for key, item in inner.items()}
        if isinstance(inner, list):
            return [mark(item, name) for item in inner]
        is_text = isinstance(inner, str) and name not in literal and '"=' not in inner
        return as_expression(inner) if is_text and _DATA.search(inner) else inner

    return mark(value, "")


def as_expression(value: str, declared: Property | None = None) -> str:
    """Returns a text with braces with the leading ``=`` without which n8n takes it literally."""
    literal = declared is not None and declared.raw.get("noDataExpression")
    if "{{" in value and "}}" in value and not value.startswith("=") and not literal:
        return "=" + value
    return value


def _as_locator(value: Any, declared: Property) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        return value
    return locate(value, declared)


def _as_option(value: Any, declared: Property) -> Any:
    """Returns the value of an option that is written by its label."""
    options = [option for option in declared.raw.get("options") or () if isinstance(option, dict)]
    by_label = {fold_name(str(option.get("name", ""))): option.get("value") for option in options}
    by_label |= {fold_name(str(option.get("value", ""))): option.get("value") for option in options}
    known = [option.get("value") for option in options]

    def choose(option: Any) -> Any:
        if option in known:
            return option
        return by_label.get(fold_name(str(option))) or read_unit(option, declared) or option

    if declared.type == "multiOptions":
        entries = value if isinstance(value, list) else [value]
        return (
            value
            if isinstance(value, str) and value.startswith("=")
            else [choose(e) for e in entries]
        )
    return choose(value) if isinstance(value, str | int | float) else value


def _as_assignments(value: Any) -> Any:
    """Returns names with values as the list of assignments that the editor writes."""
    if not isinstance(value, Mapping) or "assignments" in value:
        return value
    return {
        "assignments": [
            {
                "id": str(number),
                "name": str(name),
                "value": as_expression(item) if isinstance(item, str) else item,
                "type": _type_of(item),
            }
            for number, (name, item) in enumerate(value.items(), 1)
        ]
    }


def _type_of(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list):
        return "array"
    return "object" if isinstance(value, dict) else "string"


def _as_groups(value: Any, declared: Property) -> Any:
    """Returns bare entries under the collection's only group, and pairs as entries."""
    groups = [option for option in declared.raw.get("options") or () if isinstance(option, dict)]
    names = [group.get("name") for group in groups]
    if len(groups) != 1 or (isinstance(value, Mapping) and set(value) <= set(names)):
        return value
    fields = [
        field_value.get("name")
        for field_value in groups[0].get("values") or ()
        if isinstance(field_value, dict)
    ]
    if isinstance(value, Mapping):
        if set(value) <= set(fields):
            groups_value: list[Any] = [dict(value)]
        elif len(fields) >= 2 and declared.multiple:
            groups_value = [
                {
                    str(fields[0]): key,
                    str(fields[1]): as_expression(field_value)
                    if isinstance(field_value, str)
                    else field_value,
                }
                for key, field_value in value.items()
            ]
        else:
            return value
    elif isinstance(value, list):
        groups_value = value
    else:
        return value
    return {
        names[0]: groups_value if declared.multiple else groups_value[0] if groups_value else {}
    }
