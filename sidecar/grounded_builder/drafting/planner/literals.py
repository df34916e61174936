"""Read literal values: addresses, links, channels, names of sheets, quoted texts, numbers."""

from __future__ import annotations

import re

from grounded_builder.ir.intent import Value

_QUOTED = r"(?:\"([^\"]{1,300})\"|'([^']{1,300})'(?!\w)|`([^`]{1,300})`)"
_NAMED = r"(?:\s+(?:called|named|titled))?:?\s+"
_URL = re.compile(r"\bhttps?://[^\s,;\"'<>)]*[^\s,;\"'<>).!?]", re.IGNORECASE)
_MAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_FROM_MAIL = re.compile(r"\b(?:from|sender|by)\s+$", re.IGNORECASE)
_CHANNEL = re.compile(r"(?<![\w&/#])#([a-z0-9][\w-]{0,79})\b", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w+])\+\d[\d\s-]{6,16}\d\b")
_LIMIT = re.compile(r"\b(?:top|first|last|latest|up to|at most)\s+(\d{1,4})\b", re.IGNORECASE)
# Verbs of HTTP: written large, in front of "request", or "post" with where it goes.
_METHOD = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE|HEAD)\b"
    r"|\b(?i:(get|post|put|patch|delete|head)[ -]+(?:http[ -]+|api[ -]+)?(?:request|call)s?\b)"
    r"|\b(?i:(post))\b[^;.]*\bto\s+https?://"
)
# What people put a name behind, or before: the word names the input that takes it.
_THINGS = (
    ("sheet", r"(?:sheet|tab|worksheet)"), ("spreadsheet", r"(?:spreadsheet|workbook)"),
    ("table", r"table"), ("folder", r"folder|directory"), ("channel", r"channel"),
    ("database", r"database"), ("bucket", r"bucket"), ("label", r"label"), ("path", r"path"),
    ("subject", r"subject"), ("title", r"title|titled"),
    ("query", r"query|keyword|search(?:ing)? for"),
    ("city", r"city"), ("repository", r"repo(?:sitory)?"), ("project", r"project"),
    ("message", r"(?:message|text|saying|says|body)"),
)  # fmt: skip
_BEHIND = tuple(
    (kind, re.compile(rf"\b(?:{words}){_NAMED}{_QUOTED}", re.IGNORECASE)) for kind, words in _THINGS
)
_BEFORE = tuple(
    (kind, re.compile(rf"{_QUOTED}\s+(?:{words})\b", re.IGNORECASE)) for kind, words in _THINGS
)


def values_in(text: str) -> tuple[Value, ...]:
    """Every literal of a text with the kind of input that takes it, each kind once."""
    found: dict[str, str] = {}
    for kind, one in _all(text):
        found.setdefault(kind, one)
    return tuple(Value(kind, one) for kind, one in found.items())


def _all(text: str) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    url = _URL.search(text)
    if url:
        told.append(("url", url[0]))
    method = _METHOD.search(text)
    if method:
        told.append(("method", next(group for group in method.groups() if group).upper()))
    for mail in _MAIL.finditer(_URL.sub("", text)):
        sender = _FROM_MAIL.search(_URL.sub("", text)[: mail.start()])
        told.append(("from" if sender else "to", mail[0]))
    for pattern, kind in ((_CHANNEL, "channel"), (_PHONE, "phone"), (_LIMIT, "limit")):
        match = pattern.search(_URL.sub("", text))
        if match:
            told.append((kind, match[1] if kind == "limit" else match[0]))
    for kind, pattern in (*_BEHIND, *_BEFORE):
        match = pattern.search(text)
        if match:
            told.append((kind, next(group for group in match.groups() if group is not None)))
    return told
