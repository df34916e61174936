"""Bring a script into one form: no comments, no needless spaces, one statement after another."""

from __future__ import annotations

import re

from grounded_builder.domains.n8n.expressions.literals import Literals

_TOKEN = re.compile(
    r"""(?P<gap>[ \t\r]+|//[^\n]*|/\*.*?\*/)
    |(?P<line>\n)
    |(?P<word>[\w$]+)
    |(?P<mark>=>|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.|\.\.\.|\+\+|--|\+=|-=|.)""",
    re.DOTALL | re.VERBOSE,
)
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
# A line that ends or begins with one of these is not the end of a statement.
_GOES_ON = frozenset("([{,.=+-*/<>?:&|!") | {"=>", "===", "!==", "==", "!=", "&&", "||", "??", "?."}
_COMES_FROM = _GOES_ON - frozenset("([{!-+") | frozenset(")]}")
_FLAGS = re.compile(r"[a-z]*")


def statements(code: str) -> list[str] | None:
    """The statements at the root of a script, None where its brackets do not fit."""
    out: list[list[str]] = [[]]
    depth, place, last, broken = 0, 0, "", False
    literals = Literals(code)
    while match := _TOKEN.match(code, place):
        kind, start = match.lastgroup, place
        end = _literal_end(literals, code, start, last)
        kind, place = (kind, match.end()) if end is None else ("text", end)
        piece = code[start:place]
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
    return [_tidy("".join(item)) for item in out if item]


def _literal_end(literals: Literals, code: str, start: int, last: str) -> int | None:
    """Returns the place after the string, template or regular expression that opens there."""
    if code[start] in "'\"`":
        return literals.string_end(start)
    if code[start] != "/" or (last and last not in _GOES_ON and last != "return"):
        return None
    end = literals.regex_end(start)
    flags = None if end is None else _FLAGS.match(code, end)
    return flags.end() if flags else None


def _tidy(statement: str) -> str:
    """Trailing commas and the last semicolon of a block say nothing."""
    return re.sub(r"[,;]([)\]}])", r"\1", statement)


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_$"
