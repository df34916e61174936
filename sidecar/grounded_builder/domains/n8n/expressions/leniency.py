"""What n8n's parser lets pass and V8 does not.

n8n parses expressions with esprima-next in its tolerant mode, as a module: it goes on after a
missing comma, an assignment to something that takes none and a comment that is not closed, and
knows no HTML comments.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<unclosed>/\*.*\Z)
    |(?P<operand>\d+n(?=[\w$])|[\w$]+|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<step>\+\+|--)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
    |(?P<spread>\.\.\.)
    |(?P<dot>\??\.)
    |(?P<mark>.)""",
    re.DOTALL | re.VERBOSE,
)
_REGEX = re.compile(
    r"(?P<operand>/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)", re.DOTALL
)
# A value follows these without a comma, and the first also stand at the beginning of one.
_PREFIXES = frozenset({"async", "await", "delete", "new", "typeof", "void", "yield"})
_JOINS = frozenset(
    {
        *("case", "class", "const", "else", "extends", "function", "if", "in", "instanceof"),
        *("let", "return", "throw", "var"),
    }
)
_LET_PASS = (
    "Invalid left-hand side",
    "Invalid regular expression flags",
    "Cannot use 'import.meta'",
    "Duplicate __proto__",
)
_DOUBLE_OPTIONAL = re.compile(r"\?\?\.(?=[A-Za-z_$])")


def is_let_pass(reason: str) -> bool:
    """Whether n8n's parser goes on after a fault that V8 describes so."""
    return reason.startswith(_LET_PASS)


def neutral(code: str) -> str:
    """The same code where V8 sees no HTML comment in it."""
    return code.replace("<!--", "< !--") if "<!--" in code else code


def mended(code: str) -> str:
    """The code with commas between neighbours that lack one and without an unclosed comment.

    Too many commas do no harm here: the result is only asked whether it compiles.
    """
    out: list[str] = []
    inside: list[str] = []  # the brackets that are open
    ends_value, after_dot, follows_operand = False, False, False
    text, place = _DOUBLE_OPTIONAL.sub("?.", neutral(code)), 0
    while match := (not ends_value and _REGEX.match(text, place)) or _TOKEN.match(text, place):
        token, kind, place = match.group(), match.lastgroup, match.end()
        if kind in ("gap", "unclosed"):
            out.append(token if kind == "gap" else " ")
            continue
        joins = token in _JOINS and not after_dot
        begins = kind in ("operand", "spread") or (follows_operand and match["open"] == "{")
        if inside and ends_value and begins and not joins:
            out.append(",")
        # A semicolon in the place of a comma passes too, but for those between statements.
        is_comma = kind == "mark" and match["mark"] == ";" and inside[-1:] in (["("], ["["])
        out.append("," if is_comma else token)
        if kind == "open":
            inside.append(token)
        elif kind == "close" and inside:
            inside.pop()
        if kind != "step":
            word = joins or (token in _PREFIXES and not after_dot)
            ends_value = kind == "close" or (kind == "operand" and not word)
        after_dot, follows_operand = kind == "dot", kind == "operand"
    return "".join(out)
