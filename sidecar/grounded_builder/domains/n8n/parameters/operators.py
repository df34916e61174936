"""Maps other names of filter operations and types to n8n's: older versions, labels, languages.

Version 1 of the comparing nodes uses ``larger`` and ``isEmpty`` for ``gt`` and ``empty``, n8n's
editor shows ``is greater than``, and programming languages use ``>``.
"""

from __future__ import annotations

from collections.abc import Mapping

_OPERATION_SYNONYMS: Mapping[str, tuple[str, ...]] = {
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
_TYPE_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "string": ("str", "text"),
    "number": ("num", "int", "integer", "float", "double"),
    "boolean": ("bool",),
    "dateTime": ("date", "datetime"),
    "array": ("list",),
    "object": ("json", "dict"),
}


def _normalize(word: str) -> str:
    """Returns a name without case and punctuation; a name of symbols only stays as it is."""
    letters = "".join(mark for mark in word.casefold() if mark.isalnum())
    return letters or word.strip()


def _index_by_name(entries: Mapping[str, tuple[str, ...]]) -> Mapping[str, str]:
    return {_normalize(name): known for known, names in entries.items() for name in (known, *names)}


_OPERATIONS = _index_by_name(_OPERATION_SYNONYMS)
_KINDS = _index_by_name(_TYPE_SYNONYMS)


def find_operation(name: str, known: tuple[str, ...]) -> str | None:
    """Returns the operation with this synonym if it is among the known ones, otherwise None."""
    text = _OPERATIONS.get(_normalize(name))
    return text if text in known else None


def find_type(name: str, known: tuple[str, ...]) -> str | None:
    """Returns the type with this synonym if it is among the known ones, otherwise None."""
    text = _KINDS.get(_normalize(name))
    return text if text in known else None
