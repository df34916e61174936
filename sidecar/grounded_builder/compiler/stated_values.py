"""Finds values that a request states (addresses, names, ids); reports those its draft lacks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic

STATED_VALUE_ABSENT = Rule.advice(
    "GB344", "stated-value-absent", "UncoveredGoal", "A value that the request states is nowhere."
)

# An address of the web or of mail, a channel or user, an id (a number of five digits, or a word of
# eight signs with a digit), a quoted text, the path after a method of HTTP, the name of a header,
# and names as columns and properties have them (``churn_date``).
_STATED = re.compile(
    r"https?://[^\s<>\"']+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[A-Za-z0-9.-]{1,190}(?!\w)"
    r"|(?<![\w&])[#@][\w-]{2,80}"
    r"|(?<![\w-])\d{5,40}(?![\w-])|(?<![\w-])(?=[A-Za-z_]{0,40}\d)\w{8,120}(?![\w@])"
    r"|\"[^\"\n]{2,80}\"|(?<!\w)'[^'\n]{2,80}'(?!\w)|`[^`\n]{2,80}`"
    r"|[\u201c\u201e][^\u201c-\u201e\n]{2,80}[\u201c\u201d]|\u2018[^\u2018\u2019\n]{2,80}\u2019"
    r"|\u00ab[^\u00ab\u00bb\n]{2,80}\u00bb|\u00bb[^\u00ab\u00bb\n]{2,80}\u00ab"
    r"|\u300c[^\u300c\u300d\n]{2,80}\u300d"
    r"|(?<!\w)(?:GET|POST|PUT|PATCH|DELETE)\ /[\w/-]{2,80}"
    r"|(?<![\w-])X(?:-[A-Z][A-Za-z0-9]{1,30}){1,5}(?![\w-])"
    r"|(?<![\w.@/-])[a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,6}(?![\w@-])"
)
_ADDRESS_END = re.compile(r"[?{]")
# A place for data in a text: "<order name>", "[date]", "{id}", "...", a capital letter by itself.
_DATA = re.compile(
    r"<[^<>]{1,80}>|\[[^\[\]]{1,80}\]|\{[^{}]{1,80}\}|\.{3}|\u2026|(?<![\w'\u2019])[A-Z](?![\w'\u2019])"
)
# The start of an XML element with attributes.
_ELEMENT = re.compile(r"<[A-Za-z][\w:-]{0,60}\s[^<>=]{1,80}=[^<>]{0,300}>")
_READ = 8_000
_MOST = 8
_METHODS = "GPD"
_OPENING = "{{"
_QUOTES = "\"'`\u2018\u201c\u201e\u00ab\u00bb\u300c"
_EDGES = "\"'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d#@/.,;:!?) \u00a0\u202f"
# Texts about a whole draft, which repeat the request.
_ABOUT = frozenset({"goal", "title", "name", "description", "summary"})


def stated_values(text: str) -> tuple[str, ...]:
    """Returns the values that a text states, without quotes and marks, each once and in order.

    Text in braces is an example of data, such as the body of a webhook, as are the attributes of an
    XML element.
    """
    return tuple(_read_values(text))


def unused_values(request: str, draft: Any, *, sure: bool = False) -> tuple[str, ...]:
    """Returns the values that a request states and that are nowhere in its draft.

    Of an address only the part before a query or a placeholder in braces counts: drafts write the
    query apart. The goal or title of a draft, which can repeat the request, has no value but texts
    in quotes. Those can be emphasis, and are left out if values are to be ``sure``.
    """
    values = _read_values(request)
    if not values:
        return ()
    is_object = isinstance(draft, dict)
    steps = {key: draft[key] for key in draft if key not in _ABOUT} if is_object else draft
    written = json.dumps(steps, ensure_ascii=False, default=str).casefold()
    templates = [text.casefold() for text in _find_texts(steps) if _OPENING in text]
    about = [str(draft[key]) for key in _ABOUT & draft.keys()] if is_object else []
    named = json.dumps(about, ensure_ascii=False).casefold()
    return tuple(
        value
        for value, is_quoted in values.items()
        if not (is_quoted and sure)
        and not _is_written(value, written, is_quoted=is_quoted)
        and not (is_quoted and _fold_for_search(value) in named)
        and not (is_quoted and _is_example_of(value, templates))
    )


def _is_example_of(value: str, templates: list[str]) -> bool:
    """Returns whether a quoted text with numbers is what a template of the draft can yield.

    "7.3 degrees, wind 4 m/s" is an example of a text with two expressions: at least half
    of its other words, and two of them, are in one template.
    """
    words = [word.strip(_EDGES) for word in value.casefold().split()]
    fixed = [word for word in words if word and not any(map(str.isdigit, word))]
    if len(fixed) == len(words):
        return False
    least = max(2, (len(fixed) + 1) // 2)
    return any(sum(word in template for word in fixed) >= least for template in templates)


def _find_texts(value: Any) -> Iterator[str]:
    """Yields all texts in a draft."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _find_texts(item)


def _is_written(value: str, written: str, *, is_quoted: bool) -> bool:
    """Returns whether the folded text of a draft has a value.

    Of a quoted text with places for data, the parts between them count.
    """
    if _fold_for_search(value) in written:
        return True
    parts = [part.strip(_EDGES) for part in _DATA.split(value)] if is_quoted else [value]
    return len(parts) > 1 and all(_fold_for_search(part) in written for part in parts)


def _read_values(text: str) -> dict[str, bool]:
    """Returns the values that a text states, with whether they stand in quotes."""
    values: dict[str, bool] = {}
    for match in _STATED.finditer(_without_braces(_ELEMENT.sub(" ", text[:_READ]))):
        path = match[0].partition(" /")[2] if match[0][0] in _METHODS else ""
        value = (path or match[0]).strip(_EDGES)
        if value:
            values.setdefault(value, match[0][0] in _QUOTES)
    return values


def check_stated_values(request: str, draft: Any) -> Iterator[Diagnostic]:
    """Yields advice for the first values that a request states and its draft lacks."""
    for value in unused_values(request, draft)[:_MOST]:
        yield new_diagnostic(
            STATED_VALUE_ABSENT,
            (),
            f'the request states "{value}", which no step has',
            help='write it where it belongs, or into "remarks" if only a person can enter it',
            token=value,
        )


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
