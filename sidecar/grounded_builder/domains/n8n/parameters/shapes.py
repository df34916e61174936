"""Whether a value can be what a parameter takes: its type, its place in a closed list, its range.

Only what no run of the node could make sense of is a fault; what n8n converts or ignores is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.fieldtypes import fits
from grounded_builder.domains.n8n.parameters.javascript import (
    MISSING,
    is_expression,
    kind_of,
    number_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property

# Values that say nothing: editors and exports leave them behind, of whatever type.
EMPTY: tuple[Any, ...] = (None, "", [], {})

CUSTOM_API_CALL = "__CUSTOM_API_CALL__"

_DYNAMIC = ("loadOptionsMethod", "loadOptions", "searchListMethod", "allowArbitraryValues")


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a value does not fit; ``route`` leads from the value to the part that is meant."""

    kind: Literal["type", "option", "range"]
    value: Any
    expected: str
    choices: tuple[str, ...] = ()
    route: Route = ()


def misfit(one: Property, value: Any) -> Misfit | None:
    """The first way in which a value does not fit a declaration; None when it may well fit."""
    if value in EMPTY or is_expression(value):
        return None
    test = _TESTS.get(one.type)
    return test(one, value) if test else None


def choices_of(one: Property) -> tuple[Any, ...] | None:
    """The values of a closed list; None when the list is filled at run time or open."""
    entries = one.raw.get("options")
    if not isinstance(entries, list) or not entries or one.raw.get("allowArbitraryValues"):
        return None
    if any(key in one.options for key in _DYNAMIC):
        return None
    return tuple(
        entry["value"] for entry in entries if isinstance(entry, dict) and "value" in entry
    )


def _boolean(one: Property, value: Any) -> Misfit | None:
    del one
    return _not_a("boolean", value) if isinstance(value, dict | list) else None


def _number(one: Property, value: Any) -> Misfit | None:
    if isinstance(value, list):
        return None if one.multiple else _not_a("number", value)
    if isinstance(value, dict) or (isinstance(value, str) and math.isnan(number_of(value))):
        return _not_a("number", value)
    return _range(one, value)


def _range(one: Property, value: Any) -> Misfit | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    low, high = one.options.get("minValue"), one.options.get("maxValue")
    if isinstance(low, int | float) and value < low:
        return Misfit("range", value, f"at least {low:g}")
    if isinstance(high, int | float) and value > high:
        return Misfit("range", value, f"at most {high:g}")
    return None


def _text(one: Property, value: Any) -> Misfit | None:
    """An object is no text; a list may be one, since many nodes pass it on as it is."""
    del one
    return _not_a("string", value) if isinstance(value, dict) else None


def _option(one: Property, value: Any) -> Misfit | None:
    if isinstance(value, dict):
        return _not_a("one of the options", value)
    if isinstance(value, list):
        return None if one.multiple or not value else _not_a("one of the options", value)
    return _membership(one, value, ())


def _several(one: Property, value: Any) -> Misfit | None:
    if isinstance(value, dict):
        return _not_a("list", value)
    if not isinstance(value, list):
        return _membership(one, value, ())
    for index, item in enumerate(value):
        if isinstance(item, dict | list) or item is None or is_expression(item):
            continue
        outside = _membership(one, item, (index,))
        if outside is not None:
            return outside
    return None


def _membership(one: Property, value: Any, route: Route) -> Misfit | None:
    for entry in one.raw.get("options") or ():
        if entry.__class__ is dict and entry.get("value", MISSING) == value:
            return None
    if value == CUSTOM_API_CALL:
        return None
    choices = choices_of(one)
    if choices is None:
        return None
    texts = tuple(text_of(choice) for choice in choices)
    if text_of(value) in texts:
        return None
    return Misfit("option", value, "one of the options", texts, route)


def _collection(one: Property, value: Any) -> Misfit | None:
    if isinstance(value, dict) or value == []:
        return None
    if one.multiple is True:
        return None if isinstance(value, list) else _not_a("list", value)
    return _not_a("object", value)


def _fixed(one: Property, value: Any) -> Misfit | None:
    """A group that may be given several times is a list: n8n cannot even load another value."""
    if not isinstance(value, dict):
        return None if value == [] else _not_a("object", value)
    names = {entry.get("name") for entry in one.raw.get("options") or () if isinstance(entry, dict)}
    for name, group in value.items():
        if name not in names or is_expression(group):
            continue
        if one.multiple is True:
            if not isinstance(group, list):
                return _not_a("list", group, (name,))
        elif group is not None and group not in ("", []) and not isinstance(group, dict):
            return _not_a("object", group, (name,))
    return None


def _locator(one: Property, value: Any) -> Misfit | None:
    if isinstance(value, list):
        return _not_a("locator", value)
    if not isinstance(value, dict):
        return None
    if value and not value.keys() & {"mode", "value", "__rl"}:
        return _not_a('locator {"__rl": true, "mode", "value"}', value)
    mode = value.get("mode")
    modes = [entry.get("name") for entry in one.raw.get("modes") or () if isinstance(entry, dict)]
    if isinstance(mode, str) and mode and modes and mode not in modes and not is_expression(mode):
        return Misfit("option", mode, "a mode", tuple(map(text_of, modes)), ("mode",))
    return None


def _object(one: Property, value: Any) -> Misfit | None:
    del one
    return None if isinstance(value, dict) or value == [] else _not_a("object", value)


def _filter(one: Property, value: Any) -> Misfit | None:
    del one
    if not isinstance(value, dict):
        return _not_a('filter {"conditions": [...], "combinator"}', value)
    if not value or not isinstance(value.get("conditions", []), list):
        return None
    if "conditions" not in value:
        return _not_a('filter {"conditions": [...], "combinator"}', value)
    return _operands(value["conditions"])


def _operands(conditions: list[Any]) -> Misfit | None:
    """A literal that n8n cannot turn into the operator's type fails in every run."""
    for index, condition in enumerate(conditions):
        if not isinstance(condition, dict) or not isinstance(condition.get("operator"), dict):
            continue
        operator = condition["operator"]
        kind = operator.get("type")
        if kind not in ("number", "dateTime"):
            continue
        sides = [("leftValue", kind)]
        if not operator.get("singleValue"):
            sides.append(("rightValue", operator.get("rightType") or kind))
        for side, expected in sides:
            given = condition.get(side)
            if given in (None, "") or is_expression(given) or not isinstance(expected, str):
                continue
            if not fits(given, expected):
                return _not_a(expected, given, ("conditions", index, side))
    return None


def _assignments(one: Property, value: Any) -> Misfit | None:
    del one
    if value in ({}, []):
        return None
    if not isinstance(value, dict) or not isinstance(value.get("assignments", []), list):
        return _not_a('object {"assignments": [...]}', value)
    return None


def _not_a(expected: str, value: Any, route: Route = ()) -> Misfit:
    return Misfit("type", value, expected, (), route)


def shown_as(value: Any) -> str:
    """A value as a message quotes it: short ones to the letter, others by their kind."""
    if isinstance(value, str):
        return f'"{value[:60]}"'
    if isinstance(value, dict | list):
        return {"object": "an object", "array": "a list"}[kind_of(value)]
    return text_of(value)


_TESTS: Mapping[str, Callable[[Property, Any], Misfit | None]] = {
    "boolean": _boolean,
    "number": _number,
    "string": _text,
    "dateTime": _text,
    "color": _text,
    "options": _option,
    "multiOptions": _several,
    "collection": _collection,
    "fixedCollection": _fixed,
    "resourceMapper": _object,
    "filter": _filter,
    "assignmentCollection": _assignments,
    **dict.fromkeys(LOCATORS, _locator),
}
