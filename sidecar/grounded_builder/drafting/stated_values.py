"""Finds the values that a request states (addresses, names, ids), and those a draft lacks."""

from __future__ import annotations

import json
import re
from typing import Any

# An address of the web or of mail, a channel or user, an id (a number of five digits, or a word of
# eight signs with a digit), a quoted text.
_STATED = re.compile(
    r"https?://[^\s<>\"']+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[A-Za-z0-9.-]{1,190}(?!\w)"
    r"|(?<![\w&])[#@][\w-]{2,80}"
    r"|(?<![\w-])\d{5,40}(?![\w-])|(?<![\w-])(?=[A-Za-z_]{0,40}\d)\w{8,120}(?![\w@])"
    r"|\"[^\"\n]{2,80}\"|(?<!\w)'[^'\n]{2,80}'(?!\w)|\u201c[^\u201c\u201d\n]{2,80}\u201d"
)
_ADDRESS_END = re.compile(r"[?{]")
_READ = 8_000
_EDGES = "\"'\u201c\u201d#@.,;:!?)"


def stated_values(text: str) -> tuple[str, ...]:
    """Returns the values that a text states, without quotes and marks, each once and in order.

    What stands in braces is an example of data, such as the body of a webhook.
    """
    read = _without_braces(text[:_READ])
    values = (match[0].strip(_EDGES) for match in _STATED.finditer(read))
    return tuple(dict.fromkeys(value for value in values if value))


def unused_values(request: str, draft: Any) -> tuple[str, ...]:
    """Returns the values that a request states and that are nowhere in its draft.

    Of an address only the part before a query or a placeholder in braces counts: drafts write the
    query apart.
    """
    values = stated_values(request)
    if not values:
        return ()
    written = json.dumps(draft, ensure_ascii=False, default=str).casefold()
    return tuple(value for value in values if _fold_for_search(value) not in written)


def _without_braces(text: str) -> str:
    """Returns a text without what closed braces contain, unless they stand within an address."""
    opened: list[int] = []
    parts: list[str] = []
    start = 0
    for place, mark in enumerate(text):
        if mark == "{":
            opened.append(place)
        elif mark == "}" and opened:
            first = opened.pop()
            if not opened and not text[first - 1 : first].strip(" \n\t(:"):
                parts.append(text[start:first])
                start = place + 1
    return " ".join([*parts, text[start:]])


def _fold_for_search(value: str) -> str:
    whole = _ADDRESS_END.split(value, maxsplit=1)[0] if "://" in value else value
    return json.dumps(whole, ensure_ascii=False)[1:-1].casefold()
