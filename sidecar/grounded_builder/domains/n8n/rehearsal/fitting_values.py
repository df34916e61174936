"""Finds values with which the conditions of a decision hold, or do not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from grounded_builder.domains.n8n.rehearsal.decisions import Condition
from grounded_builder.domains.n8n.rehearsal.variants import ABSENT

_OTHER = "something else"
_LATE, _EARLY = "2099-12-31T00:00:00.000Z", "1999-01-01T00:00:00.000Z"
_MOST_ELEMENTS = 50
_WITHOUT_OPERAND = ("exists", "notExists", "empty", "notEmpty", "true", "false")
# Kept to what the pattern of a person contains; n8n itself evaluates it.
_REGEX_WORD = re.compile(r"[A-Za-z0-9 @_:/-]+")
_NEGATIONS = {
    "not" + name[0].upper() + name[1:]: name
    for name in (
        "equals",
        "contains",
        "startsWith",
        "endsWith",
        "regex",
        "exists",
        "empty",
        "lengthEquals",
    )
}
_NEGATIONS["lengthNotEquals"] = "lengthEquals"
_ORDER: Mapping[str, Callable[[Any, Any], bool]] = {
    "gt": lambda value, limit: value > limit,
    "gte": lambda value, limit: value >= limit,
    "lt": lambda value, limit: value < limit,
    "lte": lambda value, limit: value <= limit,
}
_DATES = {"after": "gt", "afterOrEquals": "gte", "before": "lt", "beforeOrEquals": "lte"}


def is_solvable(condition: Condition) -> bool:
    """Returns whether the operand with which a condition compares is known."""
    if condition.operation in _WITHOUT_OPERAND or condition.kind == "dateTime":
        return True
    right = condition.right
    return not (isinstance(right, str) and right.startswith("="))


def list_candidates(condition: Condition) -> Iterator[Any]:
    """Yields values of which one or another fulfils the condition, or fails to."""
    right, kind = condition.right, condition.kind
    if kind == "string":
        text = "" if right is None else str(right)
        words = _REGEX_WORD.findall(text) if condition.operation.lower().endswith("regex") else []
        yield from (text, *words, "sample", _OTHER, "", ABSENT)
    elif kind == "number":
        number = _as_number(right)
        yield from (number, number + 1, number - 1, ABSENT)
    elif kind == "boolean":
        yield from (True, False, ABSENT)
    elif kind == "dateTime":
        known = right if isinstance(right, str) and not right.startswith("=") else _EARLY
        yield from (known, _LATE, _EARLY, ABSENT)
    elif kind == "array":
        length = int(min(max(_as_number(right), 0), _MOST_ELEMENTS))
        for count in (length, length + 1, max(length - 1, 0), 1):
            yield ["sample"] * count
        yield from ([right], [], ABSENT)
    else:
        yield from ({"sample": "sample"}, {}, ABSENT)


def holds(condition: Condition, value: Any) -> bool:
    """Returns whether a value fulfils a condition, as n8n compares."""
    operation, right = condition.operation, condition.right
    if operation in _NEGATIONS:
        base = Condition(condition.left, condition.kind, _NEGATIONS[operation], right)
        return not holds(base, value)
    if operation == "exists":
        return value is not ABSENT and value is not None
    if operation == "empty":
        return value is ABSENT or value in (None, "", [], {})
    if value is ABSENT:
        return False
    if operation in ("true", "false"):
        return value is (operation == "true")
    if operation.startswith("length"):
        return _compare(operation[len("length") :].lower(), len(value), _as_number(right))
    if operation in _DATES:
        return _compare(_DATES[operation], _as_moment(value), _as_moment(right))
    if condition.kind == "number":
        return _compare(operation, value, _as_number(right))
    if operation == "equals":
        return bool(value == (_as_boolean(right) if condition.kind == "boolean" else right))
    if condition.kind == "array":
        return bool(right in value)
    return _compare_texts(operation, str(value), "" if right is None else str(right))


def find_value(demands: Sequence[tuple[Condition, bool]]) -> Any:
    """Returns a value for which each condition holds as demanded, None where none is known."""
    for source, _ in demands:
        for value in list_candidates(source):
            if all(holds(condition, value) is wanted for condition, wanted in demands):
                return value
    return None


def _compare(operation: str, value: Any, limit: Any) -> bool:
    return value == limit if operation == "equals" else _ORDER[operation](value, limit)


def _compare_texts(operation: str, value: str, right: str) -> bool:
    if operation == "contains":
        return right in value
    if operation == "startsWith":
        return value.startswith(right)
    if operation == "endsWith":
        return value.endswith(right)
    # Which texts a pattern of a workflow matches is left to n8n: a part of it may.
    return value not in ("", _OTHER) and value in _REGEX_WORD.findall(right)


def _as_number(value: Any) -> float | int:
    if isinstance(value, int | float):
        return value
    try:
        number = float(str(value))
    except ValueError:
        return 0
    return int(number) if number.is_integer() else number


def _as_boolean(value: Any) -> bool:
    return value is True or str(value).lower() == "true"


def _as_moment(value: Any) -> float:
    """Returns a moment in seconds; one that an expression computes is taken for the present."""
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        return time.time()
