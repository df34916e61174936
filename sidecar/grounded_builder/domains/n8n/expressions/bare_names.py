"""Finds names without ``$`` in code to which n8n gives no value, and unquoted ``$(Name)``.

n8n looks a name up only among what it passes to an expression (n8n-workflow,
Expression.initializeGlobalContext; all its engines agree). Any other name is silently undefined.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from grounded_builder.domains.n8n.expressions.mask_literals import NAME_START, mask_literals

_MAX_LENGTH = 20_000
# Characters beside a name that are read to see whether it is an operand.
_CONTEXT = 200
# Names that n8n passes to expressions, members of every object, and JavaScript keywords.
KNOWN_NAMES = frozenset(
    """
    Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date DateTime
    Duration Error EvalError Float32Array Float64Array Infinity Int16Array Int32Array Int8Array
    Interval Intl JSON Map Math NaN Number Object RangeError ReferenceError RegExp Set
    SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array
    Uint8Array Uint8ClampedArray WeakMap WeakSet average decodeURI decodeURIComponent encodeURI
    encodeURIComponent extend extendOptional isFinite isNaN isProxy max min not numberList
    parseFloat parseInt process zip
    constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf
    arguments async await break case catch class const continue debugger default delete do else
    enum export extends false finally for from function get global if import in instanceof let
    new null of return set static super switch this throw true try typeof undefined var void
    while window with yield
    """.split()
)
_NAME = re.compile(r"(?<![\w$#@\\])[^\W\d][\w$]*")
# Code in which names cannot be told from other words: classes, templates, possible patterns.
_OPAQUE = re.compile(r"(?<![\w$.])(?:class|import|with)(?![\w$])|[`\\#@]|/\s*[^\s/][^/]*/")
_NODE_CALL = re.compile(rf"{NAME_START}\$\(\s*([^\W\d][\w$]*)\s*\)")
_DECLARED = re.compile(r"(?<![\w$.])(?:const|let|var|function\s*\*?|catch)(?![\w$])")
_NAME_LIST = re.compile(r"[\s\w$,*]+")
_ASSIGNED = re.compile(r"(?<![\w$])([^\W\d][\w$]*)\s*(?:[-+*/%&|^?<>]{0,3}=(?![=>])|\+\+|--)")
# Characters before an operand; a comma counts only between arguments or list entries.
_OPERAND_PREFIXES = frozenset("([=+-*%!?:;&|<>^~")
_OPERAND_WORDS = re.compile(r"(?<![\w$.])(?:return|new|in|of|instanceof|void|throw|await)$")
_AFTER_TYPEOF = re.compile(r"(?<![\w$.])typeof\s*\(*$")
_FALLBACK_OPERATORS = ("||", "??")
_OPENING = {")": "(", "]": "[", "}": "{"}


def find_bare_names(code: str) -> Iterator[str]:
    """Yields each name that the code reads and for which n8n certainly has no value."""
    if len(code) > _MAX_LENGTH or all(name in KNOWN_NAMES for name in _NAME.findall(code)):
        return
    outline = mask_literals(code)
    if _OPAQUE.search(outline):
        return
    declared = _declared_names(outline)
    if declared is None:
        return
    has_braces = "{" in outline
    reported: set[str] = set()
    for match in _NAME.finditer(outline):
        name = match.group()
        if name in KNOWN_NAMES or name in declared or name in reported:
            continue
        if _is_operand(outline, match.start(), match.end(), has_braces=has_braces):
            reported.add(name)
            yield name


def find_unquoted_nodes(code: str) -> Iterator[str]:
    """Yields names that the code uses only as ``$(Name)``, so that nothing gives them a value."""
    if "$(" not in code or len(code) > _MAX_LENGTH or _NODE_CALL.search(code) is None:
        return
    outline = mask_literals(code)
    asked = Counter(_NODE_CALL.findall(outline))
    for name, count in asked.items():
        everywhere = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        if name not in KNOWN_NAMES and len(re.findall(everywhere, outline)) == count:
            yield name


def _is_operand(outline: str, start: int, end: int, *, has_braces: bool) -> bool:
    """Returns whether a name is certainly an operand: not a member, a key or a pattern flag.

    A name with a fallback, or that is a fallback itself, does not count.
    """
    first = max(0, start - _CONTEXT)
    before, after = outline[first:start].rstrip(), outline[end : end + _CONTEXT].lstrip()
    if first and not before:
        return False
    if after.startswith(("=>", *_FALLBACK_OPERATORS)) or before.endswith(_FALLBACK_OPERATORS):
        return False
    if after.startswith(":") and not before.endswith("?"):
        return False
    if not before or before.endswith("..."):
        return True
    if _AFTER_TYPEOF.search(before):
        return False
    if before[-1] == ",":
        return not has_braces
    return before[-1] in _OPERAND_PREFIXES or _OPERAND_WORDS.search(before) is not None


def _declared_names(outline: str) -> set[str] | None:
    """Returns every name to which the code may assign a value, None if that is unclear."""
    names = set(_ASSIGNED.findall(outline))
    place = outline.find("=>")
    while place >= 0:
        before = outline[:place].rstrip()
        if before.endswith(")"):
            opened = _find_opening_bracket(before)
            if opened is None:
                return None
            before = before[opened:]
            names.update(_NAME.findall(before))
        else:
            names.update(_NAME.findall(before)[-1:])
        place = outline.find("=>", place + 2)
    for match in _DECLARED.finditer(outline):
        rest = outline[match.end() :]
        name_list = _NAME_LIST.match(rest)
        if name_list is not None:
            names.update(_NAME.findall(name_list.group()))
            rest = rest[name_list.end() :]
        if rest[:1] in ("(", "[", "{"):
            names.update(_NAME.findall(rest[: _find_closing_bracket(rest)]))
    return names


def _find_opening_bracket(text: str) -> int | None:
    """Returns the position of the opening bracket for the last one of a text, None if unmatched."""
    open_brackets: list[str] = []
    for place in range(len(text) - 1, -1, -1):
        sign = text[place]
        if sign in _OPENING:
            open_brackets.append(_OPENING[sign])
        elif open_brackets and sign in "([{":
            if open_brackets.pop() != sign:
                return None
            if not open_brackets:
                return place
    return None


def _find_closing_bracket(text: str) -> int:
    """Returns the position of the closing bracket for the first one of a text, or its end."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            return place
    return len(text)
