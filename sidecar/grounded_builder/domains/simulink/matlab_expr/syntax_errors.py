"""Finds why a text can never be a MATLAB expression, whatever variables exist."""

from __future__ import annotations

import re

_PAIRS = {")": "(", "]": "[", "}": "{"}
_BEFORE_TRANSPOSE = re.compile(r"[\w)\]}'.]")
# An expression cannot end with these. "..." continues on the next line, a single ":" selects all
# elements, and a comma may end a list.
_HANGING = re.compile(r"(?:[-+*/\\^&|<>=~]|\.[*/^\\])\s*\Z")
_DOTS = re.compile(r"(?<![.\w])\d+\.\.\d|\d\.\d+\.\d")
# Texts other than prose and file names, in which points separate other things than digits.
_NUMERIC = re.compile(r"[\d\s.eE()\[\]{},;:+*/^-]*")
_BLOCK_COMMENT = re.compile(r"^[ \t]*%\{[ \t]*$", re.MULTILINE)


def find_syntax_error(text: str) -> str | None:
    """Returns why a text is not an expression; None where it may be one."""
    if _BLOCK_COMMENT.search(text):
        return None
    bare = _without_strings(text)
    if bare is None:
        return "a quote is not closed"
    open_: list[str] = []
    for mark in bare:
        if mark in "([{":
            open_.append(mark)
        elif mark in _PAIRS and (not open_ or open_.pop() != _PAIRS[mark]):
            return f'"{mark}" closes nothing'
    if open_:
        return f'"{open_[-1]}" is not closed'
    if _HANGING.search(bare):
        return "it ends with an operator"
    if _NUMERIC.fullmatch(bare) and _DOTS.search(bare):
        return "a number in it has two decimal points"
    return None


def _without_strings(text: str) -> str | None:
    """Returns the text without strings and comments; None where a string does not end.

    A quote after a value transposes it; after the first bracket, only directly after the value.
    """
    bare: list[str] = []
    at = 0
    before, in_brackets = "", False
    while at < len(text):
        mark = text[at]
        if mark == "%" or text.startswith("...", at):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif mark == '"' or (
            mark == "'"
            and not _BEFORE_TRANSPOSE.match(text[at - 1 : at] if in_brackets else before)
        ):
            end = at + 1
            while end < len(text) and (text[end] != mark or text[end : end + 2] == mark * 2):
                end += 2 if text[end] == mark else 1
            if end >= len(text):
                return None
            bare.append("s")
            before = "s"
            at = end + 1
        else:
            bare.append(mark)
            before = before if mark.isspace() else mark
            in_brackets = in_brackets or mark in "[{"
            at += 1
    return "".join(bare)
