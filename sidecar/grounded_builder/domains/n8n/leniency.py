"""What n8n's parser lets pass and V8 does not.

n8n parses expressions with esprima-next in its tolerant mode, as a module: it goes on after a
missing comma, an assignment to something that takes none and a comment that is not closed, and
knows no HTML comments.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""(?P<gap>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<operand>\d+n(?=[\w$])|[\w$]+|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)
    |(?P<step>\+\+|--)
    |(?P<open>[(\[{])
    |(?P<close>[)\]}])
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
_OPEN_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\Z")


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
    depth, ends_value, after_dot = 0, False, False
    text, place = _OPEN_COMMENT.sub("", neutral(code)), 0
    while match := (not ends_value and _REGEX.match(text, place)) or _TOKEN.match(text, place):
        token, kind, place = match.group(), match.lastgroup, match.end()
        if kind == "gap":
            out.append(token)
            continue
        joins = token in _JOINS and not after_dot
        begins = kind == "operand" or (kind == "open" and match["open"] == "{")
        if depth and ends_value and begins and not joins:
            out.append(",")
        out.append(token)
        depth += (kind == "open") - (kind == "close")
        if kind != "step":
            word = joins or (token in _PREFIXES and not after_dot)
            ends_value = kind == "close" or (kind == "operand" and not word)
        after_dot = kind == "dot"
    return "".join(out)
