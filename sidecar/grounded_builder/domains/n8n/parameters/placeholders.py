"""Values that somebody fills in later: an AI model by a lone ``$fromAI(...)`` call, or a person."""

from __future__ import annotations

import re
from typing import Any

_MARKER = "/*n8n-auto-generated-fromAI-override*/"
_CALL = re.compile(r"\$fromAI\s*\(", re.IGNORECASE)
_PLAIN = re.compile(r"[a-zA-Z0-9.,\s-]")
_STAND_IN = re.compile(
    r"""<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|\.\.\.|\u2026|\*{3}|x{3}
    |your|placeholder|replace|insert|enter|change|choose|select|example|sample|dummy|todo|tbd
    |redacted|[-_ ]id\b|\bid[-_ ]|^id$""",
    re.IGNORECASE | re.VERBOSE,
)


def is_lone_placeholder(expression: str) -> bool:
    """Returns whether an expression is one ``$fromAI`` call over literals and nothing else."""
    text = expression.removeprefix("=").strip()
    if text.startswith("{{") and text.endswith("}}"):
        text = text[2:-2].strip()
    text = text.removeprefix(_MARKER).strip()
    call = _CALL.match(text)
    if call is None:
        return False
    end = _closing(text, call.end())
    return end is not None and not text[end:].strip()


def is_stand_in(value: Any) -> bool:
    """Whether a value is none yet: nothing, or words and marks that people put for a real one."""
    return not isinstance(value, str) or not value.strip() or bool(_STAND_IN.search(value))


def _closing(text: str, start: int) -> int | None:
    """The position after the call's closing bracket; None when it holds more than literals."""
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
