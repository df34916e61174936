"""Read a condition: which field, compared how, with what."""

from __future__ import annotations

import re

from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.ir.intent import Condition, Operator

_BE = r"(?:is|are|was|were|equals)"
_NUMBER = r"-?\d{1,12}(?:\.\d{1,9})?"
_QUOTED = r"\"[^\"]{1,200}\"|'[^']{1,200}'"
_FIELD = r"(?:the |its |an? )?(?P<field>[A-Za-z]\w{0,40}(?: [a-z]\w{0,40}){0,2}?)"
# What is compared with a number, with a quoted text or a single word, and with nothing.
_NUMERIC: tuple[tuple[str, Operator], ...] = (
    (rf"(?:{_BE} (?:at least|no less than)|>=)", "at least"),
    (rf"(?:{_BE} (?:at most|no more than)|<=)", "at most"),
    (rf"(?:(?:{_BE} )?(?:over|above|greater than|more than|larger than|higher than)|exceeds|>)",
     "over"),
    (rf"(?:(?:{_BE} )?(?:under|below|less than|smaller than|lower than|fewer than)|<)", "under"),
    (rf"(?:{_BE} not|isn't|does not equal|!=)", "differs"),
    (rf"(?:{_BE}(?: equal to)?|={{1,3}})", "equals"),
)  # fmt: skip
_TEXTUAL: tuple[tuple[str, Operator], ...] = (
    (r"does(?: not|n't) contain", "lacks"),
    (r"contains", "contains"),
    (r"starts with", "starts with"),
    (r"ends with", "ends with"),
    (rf"(?:{_BE} not|isn't|does not equal|!=)", "differs"),
    (rf"(?:{_BE}(?: equal to)?|={{1,3}})", "equals"),
)
_STATES: tuple[tuple[str, Operator], ...] = (
    (rf"{_BE} not empty|exists", "present"),
    (rf"{_BE} (?:empty|missing)", "empty"),
)
_LEAD = r"(?:if|whether|when) "


def _forms() -> list[tuple[re.Pattern[str], Operator, str]]:
    forms = [
        (rf"{_LEAD}{_FIELD} {how} (?P<value>{_NUMBER})", operator, "number")
        for how, operator in _NUMERIC
    ]
    forms += [
        (rf"{_LEAD}{_FIELD} {how} (?P<value>{_QUOTED})", operator, "text")
        for how, operator in _TEXTUAL
    ]
    forms += [(rf"{_LEAD}{_FIELD} (?:{how})", operator, "") for how, operator in _STATES]
    return [(re.compile(form, re.IGNORECASE), operator, kind) for form, operator, kind in forms]


_FORMS = _forms()


def condition_in(text: str) -> Condition | None:
    """Returns the comparison that a whole clause states; None where it states another thing.

    The clause is ``if FIELD HOW VALUE``: a number, a quoted text, or no value (is empty).
    """
    plain = " ".join(text.split())
    for form, operator, kind in _FORMS:
        match = form.fullmatch(plain)
        if match is None:
            continue
        name = field_named(match["field"])
        if match["field"].casefold() in GRAMMAR:
            return None  # whose "it" is, nobody knows
        if kind == "number":
            number = float(match["value"])
            return Condition(name, operator, int(number) if number.is_integer() else number)
        return Condition(name, operator, match["value"][1:-1] if kind else None)
    return None


def field_named(words: str) -> str:
    """Returns a field as it is usually named: the words joined in camel case."""
    parts = [part.casefold() for part in words.split()]
    return "".join([*parts[:1], *(part.capitalize() for part in parts[1:])])
