"""Splits a parameter value into tokens, and defines the errors for values that are rejected."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONGEST = 20_000

_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
      | (?P<line>\.\.\.[^\n]*\n|\r?\n)
      | (?P<unfinished>\.\.\.[^\n]*\Z)
      | (?P<number>(?:0[xX][0-9a-fA-F]+
          |(?:\d+(?:\.(?![*/\\^'])\d*)?|\.\d+)(?:[eEdD][+-]?\d+)?)[ij]?)
      | (?P<name>[A-Za-z][A-Za-z0-9_]*)
      | (?P<double>"(?:[^"\n]|"")*")
      | (?P<mark>\.\*|\./|\.\\|\.\^|\.'|==|~=|!=|<=|>=|&&|\|\||[-+*/\\^<>&|~():;,\[\]{}.=@'])
    """,
    re.VERBOSE,
)
_TEXT = re.compile(r"'((?:[^'\n]|'')*)'")


@dataclass(frozen=True, slots=True)
class Token:
    """A token; ``spaced`` is true after white space, ``tight`` where none follows."""

    kind: str
    text: str
    at: int
    spaced: bool


class RejectedValueError(ValueError):
    """Raised when a text is not a plain value; the message is the reason."""


class UnknownFunctionError(RejectedValueError):
    """Raised when a value calls a function that is not known to be free of side effects."""


class SideEffectError(RejectedValueError):
    """Raised when a value names something that MATLAB would run with side effects."""


def scan(text: str) -> list[Token]:
    """Returns the tokens of a value; raises RejectedValueError for what no value contains."""
    if len(text) > LONGEST:
        raise RejectedValueError(f"it is longer than {LONGEST:,} characters")
    tokens: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        if text[at] == "'" and not _transposes(tokens, spaced=spaced):
            quoted = _TEXT.match(text, at)
            if quoted is None:
                raise RejectedValueError("a quote is not closed")
            tokens.append(Token("text", quoted[1].replace("''", "'"), at, spaced))
            at, spaced = quoted.end(), False
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise RejectedValueError(f"{text[at]!r} cannot be part of a value")
        kind = str(match.lastgroup)
        if kind == "unfinished":
            raise RejectedValueError('it ends with "...", which continues the line')
        if kind == "line" and match[0].startswith("..."):
            kind = "space"
        if kind == "space":
            spaced = True
        else:
            token = match[0]
            if kind == "double":
                kind, token = "text", token[1:-1].replace('""', '"')
            tokens.append(Token(kind, token, at, spaced))
            spaced = False
        at = match.end()
    return tokens


def _transposes(tokens: list[Token], *, spaced: bool) -> bool:
    """Returns whether a quote after these tokens is the transpose operator."""
    if not tokens:
        return False
    last = tokens[-1]
    ends_value = last.kind in ("number", "name", "text") or last.text in (")", "]", "}", "'", ".'")
    return ends_value and not spaced
