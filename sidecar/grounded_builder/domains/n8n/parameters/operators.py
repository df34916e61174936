"""The operations of a filter under other names: those of older versions, of labels, of languages.

Version 1 of the nodes that compare says ``larger`` and ``isEmpty`` where a filter says ``gt`` and
``empty``; n8n's editor says ``is greater than``; programs say ``>``.
"""

from __future__ import annotations

from collections.abc import Mapping

_MEANT: Mapping[str, tuple[str, ...]] = {
    "equals": ("equal", "is equal to", "==", "===", "=", "eq"),
    "notEquals": ("not equal", "is not equal to", "!=", "!==", "<>", "neq", "ne"),
    "gt": ("larger", "greater", "greater than", "is greater than", ">"),
    "gte": ("larger equal", "greater equal", "greater than or equal", ">="),
    "lt": ("smaller", "less", "less than", "is less than", "<"),
    "lte": ("smaller equal", "less equal", "less than or equal", "<="),
    "empty": ("is empty",),
    "notEmpty": ("is not empty",),
    "exists": ("exist", "does exist"),
    "notExists": ("not exist", "does not exist"),
    "contains": ("contain", "includes"),
    "notContains": ("not contain", "does not contain"),
    "startsWith": ("start with", "begins with"),
    "notStartsWith": ("not start with", "does not start with"),
    "endsWith": ("end with",),
    "notEndsWith": ("not end with", "does not end with"),
    "regex": ("matches regex", "match regex"),
    "notRegex": ("does not match regex", "not match regex"),
    "true": ("is true",),
    "false": ("is false",),
    "after": ("is after",),
    "before": ("is before",),
    "afterOrEquals": ("after or equal", "is after or equal to"),
    "beforeOrEquals": ("before or equal", "is before or equal to"),
    "lengthEquals": ("length equal", "length equal to"),
    "lengthNotEquals": ("length not equal", "length not equal to"),
    "lengthGt": ("length greater than",),
    "lengthLt": ("length less than",),
    "lengthGte": ("length greater than or equal", "length greater than or equal to"),
    "lengthLte": ("length less than or equal", "length less than or equal to"),
}
_TYPES: Mapping[str, tuple[str, ...]] = {
    "string": ("str", "text"),
    "number": ("num", "int", "integer", "float", "double"),
    "boolean": ("bool",),
    "dateTime": ("date", "datetime"),
    "array": ("list",),
    "object": ("json", "dict"),
}


def _spelt(word: str) -> str:
    """Returns a name without case and marks; signs stay as they are."""
    letters = "".join(mark for mark in word.casefold() if mark.isalnum())
    return letters or word.strip()


def _by_name(entries: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    return {_spelt(name): known for known, names in entries.items() for name in (known, *names)}


_OPERATIONS = _by_name(_MEANT)
_KINDS = _by_name(_TYPES)


def operation_meant(name: str, known: tuple[str, ...]) -> str | None:
    """Returns the operation that another name stands for, where the operand's type has it."""
    text = _OPERATIONS.get(_spelt(name))
    return text if text in known else None


def type_meant(name: str, known: tuple[str, ...]) -> str | None:
    """Returns the type of operands or assigned values that another name stands for."""
    text = _KINDS.get(_spelt(name))
    return text if text in known else None
