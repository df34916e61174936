"""Recognizes V8 syntax errors that n8n's parser tolerates, and rewrites such code for V8.

n8n parses expressions with esprima-next in tolerant mode, as a module: it continues after a missing
comma, an invalid assignment target and an unclosed comment, and knows no HTML comments.
"""

from __future__ import annotations

import re

from grounded_builder.domains.n8n.expressions.literals import Literals

_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<unclosed>/\*.*\Z)
    |(?P<operand>\d+n(?=[\w$])|[\w$]+)
    |(?P<step>\+\+|--)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<spread>\.\.\.)
    |(?P<dot>\??\.)
    |(?P<mark>.)""",
    re.DOTALL | re.VERBOSE,
)
_FLAGS = re.compile(r"[a-z]*")
# A value follows these words without a comma; the first set also begins a value.
_PREFIXES = frozenset({"await", "delete", "new", "typeof", "void", "yield"})
_JOINS = frozenset(
    {
        *("case", "catch", "class", "const", "do", "else", "extends", "finally", "for"),
        *("function", "if", "in", "instanceof", "let", "return", "switch", "throw", "try"),
        *("var", "while", "with"),
    }
)
_BLOCK_AFTER = frozenset({")", "=>", ";", "do", "else", "finally", "try"})
_TOLERATED = (
    "Invalid left-hand side",
    "Invalid regular expression flags",
    "Cannot use 'import.meta'",
    "Duplicate __proto__",
)
# V8's messages for a missing comma between two values, among other faults.
_POSSIBLY_TOLERATED = (
    "missing ) after argument list",
    "Invalid or unexpected token",
    *(f"Unexpected {what}" for what in ("identifier", "number", "string", "template", "token")),
)
_MAX_TOKENS = 250_000
_DOUBLE_OPTIONAL = re.compile(r"\?\?\.(?=[A-Za-z_$])")


def is_tolerated(reason: str, *, is_long: bool = False) -> bool:
    """Returns whether n8n's parser tolerates a fault of V8, or may tolerate it in long code."""
    return reason.startswith(_TOLERATED) or (is_long and reason.startswith(_POSSIBLY_TOLERATED))


def neutralize_html_comments(code: str) -> str:
    """Returns equivalent code without a sequence that V8 treats as an HTML comment."""
    return code.replace("<!--", "< !--") if "<!--" in code else code


def add_missing_commas(code: str) -> str | None:
    """Returns the code with the commas that n8n tolerates missing, without an unclosed comment.

    These are commas between the arguments of a call and between the properties of an object.
    Superfluous commas are harmless, as the result is only compiled. None if the code is too long.
    """
    out: list[str] = []
    inside: list[str] = []  # the open brackets; commas may be missing in "call" and "object"
    last, before_last, ends_value, after_dot = "", "", False, False
    text, place = _DOUBLE_OPTIONAL.sub("?.", neutralize_html_comments(code)), 0
    literals = Literals(text)
    while match := _TOKEN.match(text, place):
        kind, start, place = match.lastgroup, place, match.end()
        end = _literal_end(literals, text, start, after_value=ends_value)
        if end is not None:
            kind, place = "operand", end
        piece = text[start:place]
        if len(out) > _MAX_TOKENS:
            return None
        if kind in ("gap", "unclosed"):
            out.append(piece if kind == "gap" else " ")
            continue
        joins = piece in _JOINS and not after_dot
        lenient = inside[-1:] in (["call"], ["object"])
        if last == "async" and kind == "operand" and not piece[0].isidentifier():
            ends_value = True
        is_key = inside[-1:] == ["object"] and last in ("{", ",")
        begins = (
            kind in ("operand", "spread")
            or (piece == "{" and last not in _BLOCK_AFTER)
            or (piece in ("!", "~") and text[place : place + 1] != "=")
        )
        if lenient and ends_value and begins and not joins:
            out.append(",")
        out.append("," if lenient and piece == ";" else piece)
        if kind == "open":
            inside.append(
                _classify_bracket(piece, last, before_last, ends_value=ends_value, inside=inside)
            )
        elif kind == "close" and inside:
            inside.pop()
        if kind != "step":
            word = joins or (piece in _PREFIXES and not after_dot) or piece == "async"
            ends_value = kind == "close" or (kind == "operand" and (is_key or not word))
        after_dot = kind == "dot"
        arrow = piece == ">" and last == "=" and text[place - 2] == "="
        last, before_last = "=>" if arrow else piece, last
    return "".join(out)


def _literal_end(literals: Literals, text: str, start: int, *, after_value: bool) -> int | None:
    """Returns the position after the string, template or regular expression that opens there."""
    if text[start] in "'\"`":
        return literals.string_end(start)
    if text[start] != "/" or after_value:
        return None
    end = literals.regex_end(start)
    flags = None if end is None else _FLAGS.match(text, end)
    return flags.end() if flags else None


def _classify_bracket(
    piece: str, last: str, before_last: str, *, ends_value: bool, inside: list[str]
) -> str:
    """Returns the kind of an opening bracket; commas may be missing in a call or an object."""
    if piece == "(":
        declares = "function" in (last, before_last)
        return "call" if (ends_value or last in ("async", "import")) and not declares else "group"
    if piece == "{":
        is_block = last in _BLOCK_AFTER or ends_value
        is_block = is_block or (last in ("{", "}") and inside[-1:] == ["block"])
        return "block" if is_block else "object"
    return "list"
