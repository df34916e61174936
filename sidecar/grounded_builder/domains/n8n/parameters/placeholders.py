"""Recognise values to be filled in later by a model (a lone ``$fromAI(...)`` call) or a person."""

from __future__ import annotations

import re
from typing import Any

_MARKER = "/*n8n-auto-generated-fromAI-override*/"
_CALL = re.compile(r"\$fromAI\s*\(", re.IGNORECASE)
_PLAIN = re.compile(r"[a-zA-Z0-9.,\s-]")
_PLACEHOLDER = re.compile(
    r"""<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|\.\.\.|\u2026|\*{3}|x{3}
    |your|placeholder|replace|insert|enter|change|choose|select|example|sample|dummy|todo|tbd
    |redacted|[-_ ]id\b|\bid[-_ ]|^id$""",
    re.IGNORECASE | re.VERBOSE,
)


def is_lone_placeholder(expression: str) -> bool:
    """Returns whether an expression is a single ``$fromAI`` call with literal arguments."""
    text = expression.removeprefix("=").strip()
    if text.startswith("{{") and text.endswith("}}"):
        text = text[2:-2].strip()
    text = text.removeprefix(_MARKER).strip()
    call = _CALL.match(text)
    if call is None:
        return False
    end = _find_call_end(text, call.end())
    return end is not None and not text[end:].strip()


def is_placeholder(value: Any) -> bool:
    """Returns whether a value is empty or consists of words and marks of placeholders."""
    return not isinstance(value, str) or not value.strip() or bool(_PLACEHOLDER.search(value))


def _find_call_end(text: str, start: int) -> int | None:
    """Returns the position after a call with only literal arguments, None for any other."""
    quote = before = ""
    position = start
    while position < len(text):
        char = text[position]
        position += 1
        if quote:
            if char == "\\" and position < len(text):
                position += 1
            elif quote == "`" and char == "$" and text[position : position + 1] == "{":
                return None
            elif char == quote:
                quote = ""
            continue
        if char in "\"'`":
            if char == "`" and re.match(r"\w", before, re.ASCII):
                return None
            quote = char
        elif char == ")":
            return position
        elif not _PLAIN.match(char):
            return None
        if not char.isspace():
            before = char
    return None
