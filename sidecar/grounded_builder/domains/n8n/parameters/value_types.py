"""Checks a value against its parameter (type, closed list, range), and returns closed lists.

Only a value that the node can never use is wrong. A value that n8n converts or passes on although
another type is declared is loose, and a value that n8n ignores is accepted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.compound_types import (
    check_assignments,
    check_collection,
    check_fixed_collection,
    check_locator,
    check_mapping,
)
from grounded_builder.domains.n8n.parameters.dates import is_readable
from grounded_builder.domains.n8n.parameters.filter_conditions import FILTER_SHAPE, check_filter
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    number_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.json_text import find_json_fault
from grounded_builder.domains.n8n.parameters.mismatch import (
    Mismatch,
    loose_type,
    unknown_option,
    wrong_type,
)
from grounded_builder.domains.n8n.parameters.placeholders import is_lone_placeholder
from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, LOCATORS, Property

# Empty values, which editors and exports write for parameters of every type.
EMPTY: tuple[Any, ...] = (None, "", [], {})

CUSTOM_API_CALL = "__CUSTOM_API_CALL__"

_DYNAMIC = ("loadOptionsMethod", "loadOptions", "searchListMethod", "allowArbitraryValues")
_LITERAL_TYPES = frozenset({"options", "multiOptions", "boolean", "number"})
# n8n runs code without evaluating expressions; nodes evaluate them in queries and pages.
_CODE_EDITORS = frozenset({"codeNodeEditor", "jsEditor"})
_COLOUR = re.compile(
    r"#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[0-9a-f]{3,8}|[a-z]+[0-9]*|[a-z]+\([^()]*\)",
    re.IGNORECASE,
)


def check_value(prop: Property, value: Any) -> tuple[Mismatch, ...]:
    """Returns the mismatches of a value and a declaration, empty if it may fit.

    A default always fits: n8n fills it in if no value is given.
    """
    if value in EMPTY or (value.__class__ is prop.default.__class__ and value == prop.default):
        return ()
    is_text = value.__class__ is str
    if is_text and value[0] == "=":
        wrong = _check_expression(prop, value)
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
    """Returns the values of a closed list, None if the list is open or filled at run time."""
    entries = prop.raw.get("options")
    if not isinstance(entries, list) or not entries or prop.raw.get("allowArbitraryValues"):
        return None
    if any(key in prop.options for key in _DYNAMIC):
        return None
    return tuple(
        entry["value"] for entry in entries if isinstance(entry, dict) and "value" in entry
    )


def _check_expression(prop: Property, value: str) -> Mismatch | None:
    """Returns the mismatch of an expression that n8n drops or does not evaluate.

    When n8n loads the workflow, it drops expressions for collections and takes those for fixed
    values literally (n8n-workflow, NodeHelpers.getNodeParameters); many nodes evaluate texts that
    they declare as fixed themselves.
    """
    if prop.type in CONTAINERS:
        if prop.type == "collection" and prop.multiple is True:
            return None
        return Mismatch("expression", value, "object")
    if prop.type == "filter" and not _is_one_expression(value):
        return wrong_type(FILTER_SHAPE, value)
    if not prop.raw.get("noDataExpression"):
        return _check_literal(prop, value)
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


def _check_literal(prop: Property, value: str) -> Mismatch | None:
    """Returns the mismatch of an expression without braces, which is the text after its ``=``."""
    choices = choices_of(prop) if prop.type == "options" else None
    text = value[1:]
    if choices is None or "{{" in text or text in choices or not all_texts(choices):
        return None
    return unknown_option(tuple(choices), value, (), "one of the options")


def all_texts(values: Iterable[Any]) -> bool:
    """Returns whether all values are texts."""
    return all(isinstance(value, str) for value in values)


def _is_one_expression(text: str) -> bool:
    """Returns whether braces span a whole expression; n8n takes any other one for a text."""
    whole = text[1:].strip()
    is_whole = whole.startswith("{{") and whole.endswith("}}")
    return is_whole and "{{" not in whole.partition("}}")[2]


def _check_boolean(prop: Property, value: Any) -> Mismatch | None:
    """Returns the mismatch of a value that is not boolean; a node treats "false" as true."""
    del prop
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        plain = value.strip().lower()
        return wrong_type(
            "boolean", value, instead=plain == "true" if plain in ("true", "false") else MISSING
        )
    if isinstance(value, int | float):
        if value in (0, 1):
            return loose_type("boolean", value, instead=bool(value))
        return loose_type("boolean", value)
    return wrong_type("boolean", value)


def _check_number(prop: Property, value: Any) -> Mismatch | None:
    if isinstance(value, list):
        return None if prop.multiple else wrong_type("number", value)
    if isinstance(value, dict | bool):
        return wrong_type("number", value)
    if not isinstance(value, str):
        return _check_range(prop, value)
    number = number_of(value)
    if math.isnan(number):
        return wrong_type("number", value)
    outside = _check_range(prop, number)
    if outside is not None or math.isinf(number) or not value.strip():
        return outside
    return loose_type("number", value, instead=int(number) if number.is_integer() else number)


def _check_range(prop: Property, value: float) -> Mismatch | None:
    low, high = prop.options.get("minValue"), prop.options.get("maxValue")
    if isinstance(low, int | float) and value < low:
        return Mismatch("range", value, f"at least {low:g}")
    if isinstance(high, int | float) and value > high:
        return Mismatch("range", value, f"at most {high:g}")
    return None


def _check_text(prop: Property, value: Any) -> Mismatch | None:
    """Returns the mismatch of a value that is not a text; numbers and booleans are loose."""
    if isinstance(value, str) or (isinstance(value, list) and prop.multiple):
        return None
    return (wrong_type if isinstance(value, dict | list) else loose_type)("string", value)


def _check_date(prop: Property, value: Any) -> Mismatch | None:
    """Returns the mismatch of a value that is neither a date nor a number of (milli)seconds."""
    del prop
    if isinstance(value, str):
        return None if is_readable(value) else wrong_type("date", value)
    return wrong_type("date", value) if isinstance(value, bool | dict | list) else None


def _check_colour(prop: Property, value: Any) -> Mismatch | None:
    """Returns the mismatch of a value that is neither hexadecimal, a name nor a function."""
    del prop
    if isinstance(value, str) and (_COLOUR.fullmatch(value.strip()) or "{{" in value):
        return None
    return wrong_type("colour such as #ff0000", value)


def _check_json(prop: Property, value: Any) -> Mismatch | None:
    if not isinstance(value, str) or not value.strip():
        return None
    why = find_json_fault(value)
    if why is None or prop.raw.get("validateType"):
        return None
    return Mismatch("json", value, why)


def _check_option(prop: Property, value: Any) -> Mismatch | None:
    if isinstance(value, dict):
        return wrong_type("one of the options", value)
    if isinstance(value, list):
        return None if prop.multiple or not value else wrong_type("one of the options", value)
    return _check_membership(prop, value, ())


def _check_options(prop: Property, value: Any) -> Mismatch | None:
    """Returns the mismatch of a value that is not a list; an open list may take a text."""
    if isinstance(value, dict):
        return wrong_type("list", value)
    if not isinstance(value, list):
        outside = _check_membership(prop, value, ())
        if outside is not None and outside.kind == "option":
            return outside
        if choices_of(prop) is None:
            return loose_type(
                "list", value, instead=MISSING if prop.raw.get("options") else [value]
            )
        return wrong_type("list", value, instead=[value])
    for index, item in enumerate(value):
        if item is None or is_expression(item):
            continue
        if isinstance(item, dict | list):
            if choices_of(prop) is None:
                continue
            return wrong_type("one of the options", item, (index,))
        outside = _check_membership(prop, item, (index,))
        if outside is not None:
            return outside
    return None


def _check_membership(prop: Property, value: Any, route: Route) -> Mismatch | None:
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
            return loose_type("one of the options", value, route, instead=choice)
    return unknown_option(tuple(map(text_of, choices)), value, route, "one of the options")


def _check_credential_type(prop: Property, value: Any) -> Mismatch | None:
    del prop
    return wrong_type("text", value) if isinstance(value, dict | list) else None


_TESTS: Mapping[str, Callable[[Property, Any], Mismatch | None]] = {
    "boolean": _check_boolean,
    "number": _check_number,
    "string": _check_text,
    "dateTime": _check_date,
    "color": _check_colour,
    "json": _check_json,
    "options": _check_option,
    "multiOptions": _check_options,
    "credentialsSelect": _check_credential_type,
}
_COMPOUNDS: Mapping[str, Callable[[Property, Any], Iterator[Mismatch]]] = {
    "collection": check_collection,
    "fixedCollection": check_fixed_collection,
    "resourceMapper": check_mapping,
    "filter": check_filter,
    "assignmentCollection": check_assignments,
    **dict.fromkeys(LOCATORS, check_locator),
}
