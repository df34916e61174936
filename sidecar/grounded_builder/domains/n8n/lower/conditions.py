"""Converts conditions written as a text, or in the shape of n8n 1.x, into a filter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals
from grounded_builder.domains.n8n.javascript.evaluate import compile_errors

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
_ONE_OPERAND = frozenset({"empty", "notEmpty", "true", "false"})


def as_filter(value: Any) -> Any:
    """Returns conditions as a filter; the value itself where they cannot be read surely."""
    conditions: list[dict[str, Any]] | None = None
    if isinstance(value, str):
        conditions = _read_text(value)
    elif isinstance(value, Mapping) and value and value.keys() <= _OLD_DEFAULTS.keys():
        conditions = _read_old_shape(value)
    if conditions is None:
        return value
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "loose", "version": 2}
    return {"options": options, "combinator": "and", "conditions": conditions}


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


def _condition(left: Any, operator: dict[str, Any], right: Any) -> dict[str, Any]:
    if operator["operation"] in _ONE_OPERAND:
        operator = {**operator, "singleValue": True}
    return {"leftValue": left, "operator": operator, "rightValue": right}
