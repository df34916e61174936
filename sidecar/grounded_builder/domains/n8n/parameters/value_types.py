"""Whether a value can be what a parameter takes: its type, its place in a closed list, its range.

Only what no run of the node could make sense of is a fault; what n8n converts or passes on although
another type is declared is loose, and what it ignores is nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.compound_types import (
    misfits_of_assignments,
    misfits_of_collection,
    misfits_of_groups,
    misfits_of_locator,
    misfits_of_mapping,
)
from grounded_builder.domains.n8n.parameters.dates import is_readable
from grounded_builder.domains.n8n.parameters.filter_conditions import misfits_of_filter
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    number_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.json_text import why_not_json
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch, loosely, not_a, not_among
from grounded_builder.domains.n8n.parameters.placeholders import is_lone_placeholder
from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, LOCATORS, Property

# Values that say nothing: editors and exports leave them behind, of whatever type.
EMPTY: tuple[Any, ...] = (None, "", [], {})

CUSTOM_API_CALL = "__CUSTOM_API_CALL__"

_DYNAMIC = ("loadOptionsMethod", "loadOptions", "searchListMethod", "allowArbitraryValues")
_LITERAL_TYPES = frozenset({"options", "multiOptions", "boolean", "number"})
# Code is run as it stands; queries and pages are filled in by their nodes.
_CODE_EDITORS = frozenset({"codeNodeEditor", "jsEditor"})
_COLOUR = re.compile(
    r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[0-9a-f]{3,8}|[a-z]+[0-9]*|[a-z]+\([^()]*\)",
    re.IGNORECASE,
)


def check_value(prop: Property, value: Any) -> tuple[Mismatch, ...]:
    """Returns the ways in which a value does not fit a declaration; none when it may well fit.

    A default fits as it is, whatever its type: n8n fills it in where nothing is given.
    """
    if value in EMPTY or (value.__class__ is prop.default.__class__ and value == prop.default):
        return ()
    is_text = value.__class__ is str
    if is_text and value[0] == "=":
        wrong = _expression(prop, value)
    elif is_text and prop.type == "string":
        return ()
    else:
        several = _COMPOUNDS.get(prop.type)
        if several is not None:
            return tuple(several(prop, value))
        test = _TESTS.get(prop.type)
        wrong = test(prop, value) if test else None
    return () if wrong is None else (wrong,)


def choices_of(prop: Property) -> tuple[Any, ...] | None:
    """Returns the values of a closed list; None when the list is filled at run time or open."""
    entries = prop.raw.get("options")
    if not isinstance(entries, list) or not entries or prop.raw.get("allowArbitraryValues"):
        return None
    if any(key in prop.options for key in _DYNAMIC):
        return None
    return tuple(
        entry["value"] for entry in entries if isinstance(entry, dict) and "value" in entry
    )


def _expression(prop: Property, value: str) -> Mismatch | None:
    """n8n drops an expression for a collection, and takes one for a fixed value to the letter.

    Both happen when the workflow is loaded (n8n-workflow, NodeHelpers.getNodeParameters); many
    nodes evaluate the texts that they declare as fixed themselves.
    """
    if prop.type in CONTAINERS:
        if prop.type == "collection" and prop.multiple is True:
            return None
        return Mismatch("expression", value, "object")
    if not prop.raw.get("noDataExpression"):
        return None
    if prop.type not in _LITERAL_TYPES and prop.options.get("editor") not in _CODE_EDITORS:
        return None
    if is_lone_placeholder(value):
        return None
    text = value[1:]
    if prop.type not in _LITERAL_TYPES:
        whole = text.strip()
        is_whole = whole.startswith("{{") and whole.endswith("}}")
        return Mismatch("expression", value, "fixed value") if is_whole else None
    if "{{" not in text:
        return next((fault for fault in check_value(prop, text) if fault.kind != "loose"), None)
    return Mismatch("expression", value, "fixed value")


def _boolean(one: Property, value: Any) -> Mismatch | None:
    """Every text but the empty one is true to a node, "false" too, and equal to no condition."""
    del one
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        plain = value.strip().lower()
        return not_a(
            "boolean", value, instead=plain == "true" if plain in ("true", "false") else MISSING
        )
    if isinstance(value, int | float):
        if value in (0, 1):
            return loosely("boolean", value, instead=bool(value))
        return loosely("boolean", value)
    return not_a("boolean", value)


def _number(prop: Property, value: Any) -> Mismatch | None:
    if isinstance(value, list):
        return None if prop.multiple else not_a("number", value)
    if isinstance(value, dict | bool):
        return not_a("number", value)
    if not isinstance(value, str):
        return _range(prop, value)
    number = number_of(value)
    if math.isnan(number):
        return not_a("number", value)
    outside = _range(prop, number)
    if outside is not None or math.isinf(number) or not value.strip():
        return outside
    return loosely("number", value, instead=int(number) if number.is_integer() else number)


def _range(prop: Property, value: float) -> Mismatch | None:
    low, high = prop.options.get("minValue"), prop.options.get("maxValue")
    if isinstance(low, int | float) and value < low:
        return Mismatch("range", value, f"at least {low:g}")
    if isinstance(high, int | float) and value > high:
        return Mismatch("range", value, f"at most {high:g}")
    return None


def _text(prop: Property, value: Any) -> Mismatch | None:
    """Objects and lists are no texts; numbers and booleans may do, since nodes pass them on."""
    if isinstance(value, str) or (isinstance(value, list) and prop.multiple):
        return None
    return (not_a if isinstance(value, dict | list) else loosely)("string", value)


def _date(one: Property, value: Any) -> Mismatch | None:
    """Returns a text that may be a date, or a number of seconds or milliseconds."""
    del one
    if isinstance(value, str):
        return None if is_readable(value) else not_a("date", value)
    return not_a("date", value) if isinstance(value, bool | dict | list) else None


def _colour(one: Property, value: Any) -> Mismatch | None:
    """Hexadecimal digits, a name or a function such as ``rgb()``."""
    del one
    if isinstance(value, str) and (_COLOUR.fullmatch(value.strip()) or "{{" in value):
        return None
    return not_a("colour such as #ff0000", value)


def _json(prop: Property, value: Any) -> Mismatch | None:
    if not isinstance(value, str) or not value.strip():
        return None
    why = why_not_json(value)
    if why is None or prop.raw.get("validateType"):
        return None
    return Mismatch("json", value, why)


def _option(prop: Property, value: Any) -> Mismatch | None:
    if isinstance(value, dict):
        return not_a("one of the options", value)
    if isinstance(value, list):
        return None if prop.multiple or not value else not_a("one of the options", value)
    return _membership(prop, value, ())


def _several(prop: Property, value: Any) -> Mismatch | None:
    """Returns a list; a single text may work where the list is filled at run time."""
    if isinstance(value, dict):
        return not_a("list", value)
    if not isinstance(value, list):
        outside = _membership(prop, value, ())
        if outside is not None and outside.kind == "option":
            return outside
        if choices_of(prop) is None:
            return loosely("list", value, instead=MISSING if prop.raw.get("options") else [value])
        return not_a("list", value, instead=[value])
    for index, item in enumerate(value):
        if item is None or is_expression(item):
            continue
        if isinstance(item, dict | list):
            if choices_of(prop) is None:
                continue
            return not_a("one of the options", item, (index,))
        outside = _membership(prop, item, (index,))
        if outside is not None:
            return outside
    return None


def _membership(prop: Property, value: Any, route: Route) -> Mismatch | None:
    for entry in prop.raw.get("options") or ():
        if entry.__class__ is dict:
            known = entry.get("value", MISSING)
            if known == value and (known.__class__ is bool) is (value.__class__ is bool):
                return None
    if value == CUSTOM_API_CALL:
        return None
    choices = choices_of(prop)
    if choices is None:
        return None
    text = text_of(value)
    for choice in choices:
        if text_of(choice) == text:
            return loosely("one of the options", value, route, instead=choice)
    return not_among(tuple(map(text_of, choices)), value, route, "one of the options")


def _credential_type(one: Property, value: Any) -> Mismatch | None:
    del one
    return not_a("text", value) if isinstance(value, dict | list) else None


_TESTS: Mapping[str, Callable[[Property, Any], Mismatch | None]] = {
    "boolean": _boolean,
    "number": _number,
    "string": _text,
    "dateTime": _date,
    "color": _colour,
    "json": _json,
    "options": _option,
    "multiOptions": _several,
    "credentialsSelect": _credential_type,
}
_COMPOUNDS: Mapping[str, Callable[[Property, Any], Iterator[Mismatch]]] = {
    "collection": misfits_of_collection,
    "fixedCollection": misfits_of_groups,
    "resourceMapper": misfits_of_mapping,
    "filter": misfits_of_filter,
    "assignmentCollection": misfits_of_assignments,
    **dict.fromkeys(LOCATORS, misfits_of_locator),
}
