"""Read a condition: which field, compared how, with what."""

from __future__ import annotations

import re

from grounded_builder.ir.intent import Choice, Condition, Operator

_BE = r"(?:is|are|was|were|gets?|goes|becomes|has|be)"
_FORMS: tuple[tuple[str, Operator], ...] = (
    (rf"{_BE}\s+(?:at least|no less than)|>=", "at least"),
    (rf"{_BE}\s+(?:at most|no more than)|<=", "at most"),
    (rf"(?:{_BE}\s+)?(?:over|above|greater than|more than|larger than|higher than|exceeds?)|>",
     "over"),
    (rf"(?:{_BE}\s+)?(?:under|below|less than|smaller than|lower than|fewer than)|<", "under"),
    (r"(?:does not|doesn't|do not) (?:contain|include|mention)s?", "lacks"),
    (r"(?:contain|include|mention)s?", "contains"),
    (r"(?:start|begin)s? with", "starts with"),
    (r"ends? with", "ends with"),
    (rf"{_BE}\s+(?:empty|missing|blank|absent)", "empty"),
    (rf"(?:exists|{_BE}\s+(?:present|given|filled in|not empty))", "present"),
    (rf"(?:{_BE}\s+not|isn't|aren't|does not equal|doesn't equal|!=)(?:\s+equal to)?", "differs"),
    (rf"(?:{_BE}\s+equal to|equals?|={{1,3}}|{_BE}|says|matches)", "equals"),
)  # fmt: skip
_LEAD = re.compile(
    r"^(?:if|when|whenever|unless|only if|only when|in case|whether|where|whose)\s+", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|a|an|its|their|his|her|this|that|any|each|new)\s+", re.IGNORECASE)
_SOMEONE = re.compile(r"(?:they|it|he|she|we|you|i|there|someone|nobody|not)\b", re.IGNORECASE)
_OWNER = re.compile(r"^(?P<owner>.+?)'s\s+(?P<field>.+)$")
_OF = re.compile(r"^(?P<field>.+?)\s+(?:of|from|in)\s+.+$", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"^[$€£]?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(?:%|[a-z€$£]{0,12})$", re.IGNORECASE)
_MOST_FIELD_WORDS = 4
_MOST_VALUE_WORDS = 3
# As in "by priority: high, medium or low", or "on whether the status is open or closed".
LONGEST_CHOICE = 200
"""Values that part the ways are looked for in clauses of so many characters, no longer ones."""
_BY_VALUE = re.compile(
    r"\b(?:by|on|depending on|based on|according to)\s+(?:whether\s+)?(?P<field>[\w' -]{2,40}?)"
    r"\s*(?::|\(|\bis\b|\bare\b|\binto\b)\s*(?P<values>[\w'\" -]+(?:,\s*+[\w'\" -]+)*"
    r"(?:,\s*+|\s+)(?:or|and)\s+[\w'\" -]+)\)?\s*$",
    re.IGNORECASE,
)
# "is from X" compares whom it is from; "is in X" compares nothing that is named.
_WHENCE = re.compile(r"(from|in|on|at|about|to|by|for|with)\s+", re.IGNORECASE)
_FREE: frozenset[Operator] = frozenset({"empty", "present"})


def condition_in(text: str) -> Condition | None:
    """The comparison that a condition's words state; None when they state none plainly."""
    words = _LEAD.sub("", text.strip().rstrip(".,;"))
    for pattern, operator in _FORMS:
        form = rf"(?:\b(?:{pattern})\b)" if pattern[-1].isalnum() or pattern[-1] == ")" else pattern
        match = re.search(
            rf"(?P<left>.+?)\s+(?:{form}|{pattern})(?:\s+|$)(?P<right>.*)$", words, re.IGNORECASE
        )
        if match is None:
            continue
        field = _field(match["left"])
        value = _value(match["right"])
        whence = _WHENCE.match(str(value))
        if whence and operator == "equals":
            sender = _value(str(value)[whence.end() :])
            return Condition("from", "contains", sender) if whence[1].casefold() == "from" else None
        if field and (value not in ("", None) or operator in _FREE):
            return Condition(field, operator, None if operator in _FREE else value)
    return None


def choice_at(text: str) -> tuple[int, int] | None:
    """Where a text lists the values by which the ways part."""
    match = _BY_VALUE.search(text) if len(text) <= LONGEST_CHOICE else None
    return match.span() if match and choice_in(text) else None


def choice_in(text: str) -> Choice | None:
    """The field and the values by which a text parts the ways; None when it lists none."""
    match = _BY_VALUE.search(text) if len(text) <= LONGEST_CHOICE else None
    if match is None:
        return None
    field = _field(match["field"])
    values = [one.strip(" \"'") for one in re.split(r",\s*|\s+(?:or|and)\s+", match["values"])]
    values = [value.removeprefix("or ").removeprefix("and ") for value in values if value]
    short = all(len(value.split()) <= _MOST_VALUE_WORDS for value in values)
    return Choice(field, tuple(values)) if field and len(values) > 1 and short else None


def field_named(words: str) -> str:
    """A field as it is usually named: the words joined in camel case."""
    parts = [part.casefold() for part in _WORD.findall(words)]
    return "".join([*parts[:1], *(part.capitalize() for part in parts[1:])])


def _field(words: str) -> str:
    words = _ARTICLE.sub("", words.strip(" \"'"))
    owned = _OWNER.match(words) or _OF.match(words)
    words = _ARTICLE.sub("", owned["field"] if owned else words)
    if _SOMEONE.match(words):
        return ""
    return field_named(words) if 0 < len(words.split()) <= _MOST_FIELD_WORDS else ""


def _value(words: str) -> str | float:
    text = _ARTICLE.sub("", words.strip().strip("\"'").strip())
    number = _NUMBER.match(text)
    if number:
        plain = float(number[1].replace(",", ""))
        return int(plain) if plain.is_integer() else plain
    return text[:200]
