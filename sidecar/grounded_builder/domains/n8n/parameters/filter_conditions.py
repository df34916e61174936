"""The shape of a filter: its combinator, operators and operands (n8n-workflow, filter-parameter).

What n8n throws at in every run is a fault, and so is what it answers with "false" always: a
combinator or an operator that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.field_types import fits
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    number_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch, not_a, not_among
from grounded_builder.domains.n8n.parameters.operators import operation_meant, type_meant
from grounded_builder.domains.n8n.parameters.properties import Property

_SHAPE = 'filter {"conditions": [...], "combinator"}'
_OPERATOR = 'operator {"type", "operation"}'
_COMBINATORS = ("and", "or")
_ALWAYS = ("exists", "notExists")
_FILLED = ("empty", "notEmpty")
_EQUAL = ("equals", "notEquals")

OPERATIONS: Mapping[str, tuple[str, ...]] = {
    "string": (
        *(*_ALWAYS, *_FILLED, *_EQUAL, "contains", "notContains", "startsWith", "notStartsWith"),
        *("endsWith", "notEndsWith", "regex", "notRegex"),
    ),
    "number": (*_ALWAYS, *_FILLED, *_EQUAL, "gt", "lt", "gte", "lte"),
    "dateTime": (
        *(*_ALWAYS, *_FILLED, *_EQUAL),
        *("after", "before", "afterOrEquals", "beforeOrEquals"),
    ),
    "boolean": (*_ALWAYS, *_FILLED, "true", "false", *_EQUAL),
    "array": (
        *(*_ALWAYS, *_FILLED, "contains", "notContains", "lengthEquals", "lengthNotEquals"),
        *("lengthGt", "lengthLt", "lengthGte", "lengthLte"),
    ),
    "object": (*_ALWAYS, *_FILLED),
}


def misfits_of_filter(one: Property, value: Any) -> Iterator[Mismatch]:
    """Yields the faults of a filter that is no expression."""
    del one
    if not isinstance(value, dict) or (value and "conditions" not in value):
        yield not_a(_SHAPE, value)
        return
    combinator = value.get("combinator")
    if isinstance(combinator, dict | list):
        yield not_a('"and" or "or"', combinator, ("combinator",))
    elif (
        combinator is not None and combinator not in _COMBINATORS and not is_expression(combinator)
    ):
        yield not_among(_COMBINATORS, combinator, ("combinator",), "a combinator")
    options, conditions = value.get("options"), value.get("conditions", [])
    strictly = not isinstance(options, dict) or options.get("typeValidation", "strict") == "strict"
    if isinstance(conditions, list):
        yield from _faults(conditions, strictly)
    elif isinstance(conditions, dict) and isinstance(conditions.get("operator"), dict):
        yield not_a("list of conditions", conditions, ("conditions",), instead=[conditions])


def _faults(conditions: list[Any], strictly: bool) -> Iterator[Mismatch]:
    for index, condition in enumerate(conditions):
        here: Route = ("conditions", index)
        if is_expression(condition):
            continue
        if not isinstance(condition, dict):
            yield not_a('condition {"leftValue", "operator", "rightValue"}', condition, here)
            continue
        operator = condition.get("operator", MISSING)
        if is_expression(operator):
            continue
        if not isinstance(operator, dict) or not isinstance(operator.get("type"), str):
            place = here if operator is MISSING else (*here, "operator")
            yield not_a(_OPERATOR, condition if operator is MISSING else operator, place)
            continue
        yield from _of_operator(operator, (*here, "operator"))
        yield from _of_operands(condition, operator, here, strictly)


def _of_operator(operator: Mapping[str, Any], at: Route) -> Iterator[Mismatch]:
    kind, operation = operator["type"], operator.get("operation")
    if is_expression(kind) or is_expression(operation):
        return
    if operation in _ALWAYS:
        return
    known = OPERATIONS.get(kind)
    if known is None:
        kinds = tuple(OPERATIONS)
        value = type_meant(kind, kinds)
        yield not_among(kinds, kind, (*at, "type"), "a type of operator", meant=value)
    elif operation is None:
        yield not_a(f"an operation ({', '.join(known)})", operator, at)
    elif not isinstance(operation, str):
        yield not_a("an operation", operation, (*at, "operation"))
    elif operation not in known:
        value, place = operation_meant(operation, known), (*at, "operation")
        yield not_among(known, operation, place, f"an operation of {kind}", meant=value)


def _of_operands(
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
        if _taken(given, expected, strictly):
            continue
        yield not_a(
            expected,
            given,
            (*here, side),
            instead=_converted(given, expected) if strictly else MISSING,
        )


def _taken(value: Any, kind: str, strictly: bool) -> bool:
    """Returns whether n8n takes an operand; a strict comparison converts nothing but dates."""
    if not strictly:
        return kind == "boolean" or fits(value, kind)
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
    return fits(value, kind)


def _converted(value: Any, kind: str) -> Any:
    """Returns the value in the operator's type, where it plainly is one."""
    if kind == "string" and isinstance(value, bool | int | float):
        return text_of(value)
    if kind == "number" and isinstance(value, str) and fits(value, "number"):
        number = number_of(value)
        return int(number) if number.is_integer() else number
    if kind == "boolean" and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return MISSING
