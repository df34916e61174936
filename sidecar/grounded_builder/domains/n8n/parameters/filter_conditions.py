"""Checks the shape of a filter: combinator, operators, operands (n8n-workflow).

An unknown combinator or operator makes n8n throw in every run or makes the filter always false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.field_types import matches_field_type
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    number_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch, unknown_option, wrong_type
from grounded_builder.domains.n8n.parameters.operators import find_operation, find_type
from grounded_builder.domains.n8n.parameters.properties import Property

FILTER_SHAPE = 'filter {"conditions": [...], "combinator"}'
_OPERATOR = 'operator {"type", "operation"}'
_COMBINATORS = ("and", "or")
_EXISTENCE = ("exists", "notExists")
_EMPTINESS = ("empty", "notEmpty")
_EQUALITY = ("equals", "notEquals")

OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "string": (
        *(
            *_EXISTENCE,
            *_EMPTINESS,
            *_EQUALITY,
            "contains",
            "notContains",
            "startsWith",
            "notStartsWith",
        ),
        *("endsWith", "notEndsWith", "regex", "notRegex"),
    ),
    "number": (*_EXISTENCE, *_EMPTINESS, *_EQUALITY, "gt", "lt", "gte", "lte"),
    "dateTime": (
        *(*_EXISTENCE, *_EMPTINESS, *_EQUALITY),
        *("after", "before", "afterOrEquals", "beforeOrEquals"),
    ),
    "boolean": (*_EXISTENCE, *_EMPTINESS, "true", "false", *_EQUALITY),
    "array": (
        *(*_EXISTENCE, *_EMPTINESS, "contains", "notContains", "lengthEquals", "lengthNotEquals"),
        *("lengthGt", "lengthLt", "lengthGte", "lengthLte"),
    ),
    "object": (*_EXISTENCE, *_EMPTINESS),
}


# The type of the right operand where it is not that of the left one; n8n's editor writes it as
# ``rightType``. Without it n8n reads the operand as an array, which no array contains or measures.
_RIGHT_TYPES: Mapping[str, str] = {
    **dict.fromkeys(("contains", "notContains"), "any"),
    **dict.fromkeys((name for name in OPERATIONS["array"] if name.startswith("length")), "number"),
}


def check_filter(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields the mismatches of a filter that is not an expression."""
    del prop
    if not isinstance(value, dict) or (value and "conditions" not in value):
        yield wrong_type(FILTER_SHAPE, value)
        return
    combinator = value.get("combinator")
    if isinstance(combinator, dict | list):
        yield wrong_type('"and" or "or"', combinator, ("combinator",))
    elif combinator is not None and combinator not in _COMBINATORS and not _is_computed(combinator):
        yield unknown_option(_COMBINATORS, combinator, ("combinator",), "a combinator")
    options, conditions = value.get("options"), value.get("conditions", [])
    strictly = not isinstance(options, dict) or options.get("typeValidation", "strict") == "strict"
    if isinstance(conditions, list):
        yield from _check_conditions(conditions, strictly)
    elif isinstance(conditions, dict) and isinstance(conditions.get("operator"), dict):
        yield wrong_type("list of conditions", conditions, ("conditions",), instead=[conditions])


def _check_conditions(conditions: list[Any], strictly: bool) -> Iterator[Mismatch]:
    for index, condition in enumerate(conditions):
        here: Route = ("conditions", index)
        if is_expression(condition):
            continue
        if not isinstance(condition, dict):
            yield wrong_type('condition {"leftValue", "operator", "rightValue"}', condition, here)
            continue
        operator = condition.get("operator", MISSING)
        if _is_computed(operator):
            continue
        if not isinstance(operator, dict) or not isinstance(operator.get("type"), str):
            place = here if operator is MISSING else (*here, "operator")
            yield wrong_type(_OPERATOR, condition if operator is MISSING else operator, place)
            continue
        yield from _check_operator(operator, (*here, "operator"))
        typed = _type_right_operand(condition, operator)
        right = condition.get("rightValue")
        if operator["type"] == "array" and isinstance(right, list | dict) and len(right) != 1:
            yield wrong_type("one text or number", right, (*here, "rightValue"))
        elif typed is not None:
            expected = f'operator with "rightType": "{typed["operator"]["rightType"]}"'
            yield wrong_type(expected, condition, here, instead=typed)
        else:
            yield from _check_operands(condition, operator, here, strictly)


def _check_operator(operator: Mapping[str, Any], at: Route) -> Iterator[Mismatch]:
    kind, operation = operator["type"], operator.get("operation")
    if _is_computed(kind) or _is_computed(operation):
        return
    if operation in _EXISTENCE:
        return
    known = OPERATIONS.get(kind)
    if known is None:
        kinds = tuple(OPERATIONS)
        intended = find_type(kind, kinds)
        yield unknown_option(kinds, kind, (*at, "type"), "a type of operator", intended=intended)
    elif operation is None:
        yield wrong_type(f"an operation ({', '.join(known)})", operator, at)
    elif not isinstance(operation, str):
        yield wrong_type("an operation", operation, (*at, "operation"))
    elif operation not in known:
        intended, place = find_operation(operation, known), (*at, "operation")
        yield unknown_option(known, operation, place, f"an operation of {kind}", intended=intended)


def _is_computed(value: Any) -> bool:
    """Returns whether a value has a part that n8n evaluates; ``=`` alone only begins a text."""
    return is_expression(value) and "{{" in value


def _type_right_operand(
    condition: Mapping[str, Any], operator: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Returns a condition on an array with the type of its right operand, None if it needs none.

    A list of one element becomes the element.
    """
    operation, right = str(operator.get("operation")), condition.get("rightValue")
    is_typed = operator.get("rightType") not in (None, "", "array")
    if operator["type"] != "array" or operation not in _RIGHT_TYPES or is_typed:
        return None
    if right in (None, "") or operator.get("singleValue"):
        return None
    kind = _RIGHT_TYPES[operation]
    if isinstance(right, list) and len(right) == 1 and kind == "any":
        right = right[0]
    return {**condition, "operator": {**operator, "rightType": kind}, "rightValue": right}


def _check_operands(
    condition: Mapping[str, Any], operator: Mapping[str, Any], here: Route, strictly: bool
) -> Iterator[Mismatch]:
    kind = operator["type"]
    sides: list[tuple[str, Any]] = [("leftValue", kind)]
    if not operator.get("singleValue"):
        sides.append(("rightValue", operator.get("rightType") or kind))
    for side, expected in sides:
        given = condition.get(side)
        if given in (None, "") or is_expression(given) or not isinstance(expected, str):
            continue
        if _accepts_operand(given, expected, strictly):
            continue
        yield wrong_type(
            expected,
            given,
            (*here, side),
            instead=_convert_operand(given, expected) if strictly else MISSING,
        )


def _accepts_operand(value: Any, kind: str, strictly: bool) -> bool:
    """Returns whether n8n accepts an operand; a strict comparison converts only dates."""
    if not strictly:
        return kind == "boolean" or matches_field_type(value, kind)
    if kind == "string":
        return isinstance(value, str)
    if kind == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "array":
        return isinstance(value, list)
    if kind == "object":
        return isinstance(value, dict | list)
    return matches_field_type(value, kind)


def _convert_operand(value: Any, kind: str) -> Any:
    """Returns the value converted to the operator's type, MISSING if that is ambiguous."""
    if kind == "string" and isinstance(value, bool | int | float):
        return text_of(value)
    if kind == "number" and isinstance(value, str) and matches_field_type(value, "number"):
        number = number_of(value)
        return int(number) if number.is_integer() else number
    if kind == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return MISSING
