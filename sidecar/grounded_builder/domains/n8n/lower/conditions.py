"""Converts conditions written as a text, in the shape of n8n 1.x, or loosely into a filter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals
from grounded_builder.domains.n8n.javascript.evaluate import compile_errors
from grounded_builder.domains.n8n.lower.parameter_words import words
from grounded_builder.domains.n8n.parameters.filter_conditions import OPERATIONS
from grounded_builder.domains.n8n.parameters.operators import find_operation, find_type

_LONGEST = 2_000
_BRACES = re.compile(r"\{\{([^{}]{1,500})\}\}")
_QUOTED_BRACES = re.compile(r""""\{\{([^"'{}]{1,500})\}\}"|'\{\{([^"'{}]{1,500})\}\}'""")
# Braces side by side, and braces before a bracket, would become a call.
_CALLS = re.compile(r"\}\}\s{0,20}(?:\{\{|\()")
_ASSIGNS = re.compile(r"(?<![=!<>])=(?![=>])")
_COMPARISON = re.compile(
    r"\{\{([^{}]{1,500})\}\} {0,9}(===?|!==?|>=|<=|>|<) {0,9}"
    r"""(-?\d{1,15}(?:\.\d{1,15})?|"[^"]{0,500}"|'[^']{0,500}'|true|false)"""
)
_SIGNS = {
    "==": "equals", "===": "equals", "!=": "notEquals", "!==": "notEquals",
    ">": "gt", "<": "lt", ">=": "gte", "<=": "lte",
}  # fmt: skip
# The operations of n8n's If node up to version 1 and of its filter since.
_OLD_OPERATIONS = {
    "smaller": "lt", "smallerEqual": "lte", "larger": "gt", "largerEqual": "gte",
    "equal": "equals", "notEqual": "notEquals", "isEmpty": "empty", "isNotEmpty": "notEmpty",
    "contains": "contains", "notContains": "notContains", "startsWith": "startsWith",
    "notStartsWith": "notStartsWith", "endsWith": "endsWith", "notEndsWith": "notEndsWith",
    "regex": "regex", "notRegex": "notRegex", "after": "after", "before": "before",
}  # fmt: skip
_OLD_DEFAULTS = {"string": "equal", "number": "smaller", "boolean": "equal", "dateTime": "after"}
_OLD_KEYS = frozenset({"value1", "operation", "value2"})
_ONE_OPERAND = frozenset({"empty", "notEmpty", "true", "false", "exists", "notExists"})
_PATH = re.compile(r"[A-Za-z_$][\w$]{0,80}(?:\.[A-Za-z_$][\w$]{0,80}){0,12}")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_LONGEST_FIELD = 200
_MOST_CONDITIONS = 100
# The keys of n8n's own conditions that hold a value, not the name of a field.
_VALUE_KEYS = frozenset({("left", "value"), ("value1",)})
_JOINS = {"and": "and", "all": "and", "or": "or", "any": "or"}


def as_filter(value: Any) -> Any:
    """Returns conditions as a filter; the value itself where they cannot be read surely."""
    conditions: list[dict[str, Any]] | None = None
    join = "and"
    if isinstance(value, str):
        conditions = _read_text(value)
    elif is_old_shape(value):
        conditions = _read_old_shape(value)
    elif isinstance(value, list | Mapping):
        conditions, join = _read_loose_shape(value)
    if conditions is None:
        return value
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "loose", "version": 2}
    if isinstance(value, Mapping) and isinstance(value.get("options"), Mapping):
        options |= value["options"]
    return {"options": options, "combinator": join, "conditions": conditions}


def is_old_shape(value: Any) -> bool:
    """Returns whether conditions are grouped by type, as in version 1 of n8n's If node."""
    return isinstance(value, Mapping) and bool(value) and value.keys() <= _OLD_DEFAULTS.keys()


def _read_text(text: str) -> list[dict[str, Any]] | None:
    """Returns the condition of a text that compares, or that is one JavaScript expression.

    n8n takes a text around braces as it is, and any text for true.
    """
    plain = _QUOTED_BRACES.sub(
        lambda match: f"{{{{{match.group(1) or match.group(2)}}}}}",
        text.strip().removeprefix("=").strip(),
    )
    if len(plain) > _LONGEST or "$" not in plain or _CALLS.search(plain):
        return None
    simple = _COMPARISON.fullmatch(plain)
    if simple is not None:
        left, sign, right = simple.groups()
        return [_compare(left.strip(), sign, right)]
    whole = plain.startswith("{{") and plain.endswith("}}") and "{{" not in plain[2:]
    code = (
        plain[2:-2].strip()
        if whole
        else _BRACES.sub(lambda match: f"({match.group(1).strip()})", plain)
    )
    bare = mask_literals(code)
    if "{{" in bare or "}}" in bare or _ASSIGNS.search(bare):
        return None
    if not whole and bare.count("$") < code.count("$"):
        return None  # braces inside a longer text
    if compile_errors([("expression", code)]) != [None]:
        return None
    condition = f"={{{{ !!({code}) }}}}"
    return [_condition(condition, {"type": "boolean", "operation": "true"}, "")]


def _compare(left: str, sign: str, right: str) -> dict[str, Any]:
    operand: Any = right[1:-1]
    kind = "string"
    is_equality = _SIGNS[sign] in ("equals", "notEquals")
    if right in ("true", "false") and is_equality:
        operand, kind = right == "true", "boolean"
    elif right[0] in "-0123456789":
        operand, kind = float(right) if "." in right else int(right), "number"
    elif not is_equality:
        # The filter orders numbers and dates only.
        code = f"={{{{ ({left}) {sign} {right} }}}}"
        return _condition(code, {"type": "boolean", "operation": "true"}, "")
    operator = {"type": kind, "operation": _SIGNS[sign]}
    return _condition(f"={{{{ {left} }}}}", operator, operand)


def _read_old_shape(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Returns the conditions of ``{"number": [{"value1", "operation", "value2"}]}``."""
    conditions: list[dict[str, Any]] = []
    for kind, entries in value.items():
        for entry in entries if isinstance(entries, list) else [None]:
            if not isinstance(entry, Mapping) or not entry.keys() <= _OLD_KEYS:
                return None
            operation = _OLD_OPERATIONS.get(str(entry.get("operation", _OLD_DEFAULTS[kind])))
            if operation is None or "value1" not in entry:
                return None
            operator = {"type": kind, "operation": operation}
            left = entry["value1"]
            if isinstance(left, str) and "{{" in left and not left.startswith("="):
                left = f"={left}"
            conditions.append(_condition(left, operator, entry.get("value2", "")))
    return conditions or None


def _read_loose_shape(value: Any) -> tuple[list[dict[str, Any]] | None, str]:
    """Returns the conditions of ``[{"field", "operator", "value"}]``, of such a list under
    "conditions", or of a single entry, with how they are joined. Nothing is read in part.
    """
    join, entries = "and", value
    if isinstance(value, Mapping) and "conditions" in value:
        entries = value["conditions"]
        rest = [
            item
            for key, item in value.items()
            if key != "conditions" and not (key == "options" and isinstance(item, Mapping))
        ]
        joins = [_JOINS.get(str(item).casefold()) for item in rest]
        if None in joins or len(joins) > 1:
            return None, join
        join = joins[0] or join if joins else join
    if isinstance(entries, Mapping):
        entries = [entries]
    if not isinstance(entries, list) or not 0 < len(entries) <= _MOST_CONDITIONS:
        return None, join
    conditions = [_read_loose_entry(entry) for entry in entries]
    if None in conditions or all(isinstance(entry.get("operator"), dict) for entry in entries):
        return None, join
    return [condition for condition in conditions if condition is not None], join


def _read_loose_entry(entry: Any) -> dict[str, Any] | None:
    """Returns the condition of a field, the name of an operation and perhaps a value; one in n8n's
    own shape as it is.
    """
    if not isinstance(entry, Mapping) or not 1 < len(entry) <= 4:
        return None
    if isinstance(entry.get("operator"), Mapping):
        return dict(entry)
    key = _key_of_operation(entry)
    if key is None:
        return None
    kinds = [name for name in entry if words(name)[-1:] == ("type",)]
    kind = find_type(str(entry[kinds[0]]), tuple(OPERATIONS)) if len(kinds) == 1 else None
    sides = [name for name in entry if name != key and not (kind and name in kinds)]
    if sides and words(sides[0])[-1:] in (("value",), ("right",)) and len(sides) == 2:
        is_left = words(sides[0]) in _VALUE_KEYS or words(sides[1])[-1:] == ("value",)
        sides = sides if is_left else sides[::-1]
    operands = [entry[name] for name in sides]
    if not 0 < len(operands) <= 2 or any(isinstance(item, dict | list) for item in operands):
        return None
    left = _left_of(operands[0], is_value=words(sides[0]) in _VALUE_KEYS)
    right = operands[1] if len(operands) == 2 else None
    operator = _operator_of(str(entry[key]), kind, right)
    if left is None or operator is None:
        return None
    if operator["operation"] not in _ONE_OPERAND and right is None:
        return None
    if operator["type"] == "number" and isinstance(right, str) and _NUMBER.fullmatch(right):
        right = float(right) if "." in right else int(right)
    if isinstance(right, str) and "{{" in right and not right.startswith("="):
        right = f"={right}"
    return _condition(left, operator, "" if right is None else right)


def _key_of_operation(entry: Mapping[str, Any]) -> str | None:
    """Returns the only key that is named like an operation or like a field for operations."""
    known = tuple(dict.fromkeys(name for names in OPERATIONS.values() for name in names))
    keys = [
        key
        for key, value in entry.items()
        if isinstance(value, str) and find_operation(value, known) is not None
    ]
    named = [key for key in keys if "".join(words(key))[:2] == "op"]
    keys = named or keys
    return keys[0] if len(keys) == 1 else None


def _left_of(value: Any, *, is_value: bool) -> Any:
    """Returns the left operand: the field of a name, an expression, or a value."""
    if not isinstance(value, str) or value.startswith("="):
        return value
    text = value.strip()
    if "{{" in text:
        return f"={text}"
    if text.startswith(("$json", "$(", "$node")):
        return f"={{{{ {text} }}}}"
    if is_value:
        return value
    if not text or len(text) > _LONGEST_FIELD:
        return None
    field = f".{text}" if _PATH.fullmatch(text) else f"[{orjson.dumps(text).decode()}]"
    return f"={{{{ $json{field} }}}}"


def _operator_of(name: str, kind: str | None, right: Any) -> dict[str, Any] | None:
    """Returns the operator of a name in the stated type, else that of the right operand, else the
    first one that has the operation.
    """
    guesses = [kind] if kind else [*_kinds_of(right), *OPERATIONS]
    for guess in guesses:
        operation = find_operation(name, OPERATIONS[guess])
        if operation is not None:
            return {"type": guess, "operation": operation}
    return None


def _kinds_of(right: Any) -> list[str]:
    if isinstance(right, bool):
        return ["boolean"]
    return ["number"] if isinstance(right, int | float) else []


def _condition(left: Any, operator: dict[str, Any], right: Any) -> dict[str, Any]:
    if operator["operation"] in _ONE_OPERAND:
        operator = {**operator, "singleValue": True}
    return {"leftValue": left, "operator": operator, "rightValue": right}
