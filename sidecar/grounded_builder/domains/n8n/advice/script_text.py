"""Bring a script into one form: no comments, no needless spaces, one statement after another."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<gap>[ \t\r]+|//[^\n]*|/\*.*?\*/)
    |(?P<line>\n)
    |(?P<text>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<word>[\w$]+)
    |(?P<mark>=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\.\.\.|\+\+|--|\+=|-=|.)""",
    re.DOTALL | re.VERBOSE,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
# A line that ends or begins with one of these is not the end of a statement.
_GOES_ON = frozenset("([{,.=+-*/<>?:&|!") | {"=>", "===", "!==", "==", "!=", "&&", "||", "??", "?."}
_COMES_FROM = _GOES_ON - frozenset("([{!-+") | frozenset(")]}")
_REGEX = re.compile(r"/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")


def statements(code: str) -> list[str] | None:
    """The statements at the root of a script, None where its brackets do not fit."""
    out: list[list[str]] = [[]]
    depth, place, last, broken = 0, 0, "", False
    while match := _next(code, place, last):
        piece, kind, place = match.group(), match.lastgroup, match.end()
        if kind == "gap":
            continue
        if kind == "line":
            broken = True
            continue
        if broken and depth == 0 and last and last not in _GOES_ON and piece not in _COMES_FROM:
            out.append([])
            last = ""
        broken = False
        if piece in _OPEN:
            depth += 1
        elif piece in _CLOSE:
            depth -= 1
            if depth < 0:
                return None
        if piece == ";" and depth == 0:
            out.append([])
            last = ""
            continue
        if out[-1] and _is_word(out[-1][-1][-1]) and _is_word(piece[0]):
            out[-1].append(" ")
        out[-1].append(piece)
        last = piece
    if depth:
        return None
    return [_tidy("".join(one)) for one in out if one]


def _next(code: str, place: int, last: str) -> re.Match[str] | None:
    if code[place : place + 1] == "/" and (not last or last in _GOES_ON or last == "return"):
        match = _REGEX.match(code, place)
        if match:
            return match
    return _TOKEN.match(code, place)


def _tidy(statement: str) -> str:
    """Trailing commas and the last semicolon of a block say nothing."""
    return re.sub(r"[,;]([)\]}])", r"\1", statement)


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"
