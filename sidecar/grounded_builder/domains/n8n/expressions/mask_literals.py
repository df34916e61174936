"""Blanks comments and literals in JavaScript, and finds branches and ``try`` blocks."""

from __future__ import annotations

import re
from bisect import bisect_right

from grounded_builder.domains.n8n.expressions.literals import Literals

NAME_START = r"(?<![\w$])(?:(?<!\.)|(?<=\.\.\.))"
"""The beginning of a name in a pattern: not the middle of one, nor a member; a spread may precede.
"""

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<quote>['"])
    |(?P<slash>/)
    |(?P<brace>[{}`])""",
    re.DOTALL | re.VERBOSE,
)
_TEMPLATE = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?P<end>`|\$\{)", re.DOTALL)
_VISIBLE = re.compile(r"[^\n]")
# What a slash divides: the end of a value. A brace ends a block far more often than a value.
_ENDS_VALUE = re.compile(r"[\w$)\]'\"`/]$|\+\+$|--$")
_BEFORE_VALUE = re.compile(
    r"(?<![\w$.])(?:await|case|delete|do|else|in|instanceof|new|of|return|throw|typeof|void|yield)$"
)
_LONGEST_WORD = 12
# Code that makes evaluation conditional: nothing after it is certain to be evaluated.
_BRANCH = re.compile(
    r"\?(?!\.\D)|&&|\|\||=>|\$if\b|\bisExecuted\b"
    r"|(?<![\w$.])(?:if|for|while|switch|case|try|catch|function|return|throw)(?![\w$])"
)

_BLOCK = re.compile(r"(?<![\w$.])try\s*\{|[{}]")


def mask_literals(code: str) -> str:
    """Returns code of the same length with comments and the contents of literals blanked.

    Quotes and ``${}`` remain.
    """
    out: list[str] = []
    braces: list[bool] = []  # for each open brace: whether it is inside a template
    place, in_template = 0, False
    literals = Literals(code)
    while True:
        match = (_TEMPLATE.match if in_template else _TOKEN.search)(code, place)
        if match is None:
            out.append(_blank(code[place:]) if in_template else code[place:])
            return "".join(out)
        start, end = match.span()
        out.append(code[place:start])
        text, place = match.group(), end
        if in_template:
            in_template = False
            out.append(_blank(text[: -len(match["end"])]) + match["end"])
            if match["end"] == "${":
                braces.append(True)
            continue
        if match.lastgroup == "brace":
            if text == "{":
                braces.append(False)
            else:
                in_template = text == "`" or (bool(braces) and braces.pop())
            out.append(text)
        elif match.lastgroup == "comment":
            out.append(_blank(text))
        else:
            if match.lastgroup == "quote":
                place = literals.string_end(start) or end
            elif not _ends_value(out):
                place = literals.regex_end(start) or end
            text = code[start:place]
            out.append(text if place == end else text[0] + _blank(text[1:-1]) + text[-1])


def _ends_value(out: list[str]) -> bool:
    """Returns whether the code before a slash ends in a value, which the slash then divides."""
    before = next((text for piece in reversed(out) if (text := piece.rstrip())), "")
    if before == "/":
        return False  # a division; the slashes of a pattern are one piece
    tail = before[-_LONGEST_WORD:]
    return _ENDS_VALUE.search(tail) is not None and _BEFORE_VALUE.search(tail) is None


def find_first_branch(outline: str) -> int:
    """Returns the first position that is not certainly evaluated whenever the code is."""
    branch = _BRANCH.search(outline)
    return len(outline) + 1 if branch is None else branch.end()


def find_try_spans(outline: str) -> list[tuple[int, int]]:
    """Returns the spans of ``try`` blocks, in which failures are caught, in order."""
    spans: list[tuple[int, int]] = []
    tries: list[bool] = []  # for each open brace: whether it opens a try block
    depth = start = 0
    for match in _BLOCK.finditer(outline):
        if match.group() != "}":
            is_try = match.group() != "{"
            if is_try and depth == 0:
                start = match.end()
            depth += is_try
            tries.append(is_try)
        elif tries and tries.pop():
            depth -= 1
            if depth == 0:
                spans.append((start, match.end()))
    return [*spans, (start, len(outline) + 1)] if depth else spans


def is_caught(spans: list[tuple[int, int]], place: int) -> bool:
    """Returns whether a failure at a position is caught, given the spans of ``try`` blocks."""
    before = bisect_right(spans, place, key=lambda span: span[0])
    return before > 0 and place < spans[before - 1][1]


def _blank(text: str) -> str:
    return _VISIBLE.sub(" ", text)
