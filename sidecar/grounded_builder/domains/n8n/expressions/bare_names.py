"""Names without ``$`` that stand for nothing in an expression: ``moment()``, ``new URL()``.

n8n looks a name up among what it hands to an expression and nowhere else (n8n-workflow,
Expression.initializeGlobalContext; all its engines agree): any other is undefined without a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from grounded_builder.domains.n8n.expressions.mask_literals import outlined

_LONGEST = 20_000
# Names that n8n hands over, what every object has, and words of JavaScript itself.
_GIVEN = frozenset(
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
# What leaves open which words are names: bodies of classes, templates, what may be a pattern.
_OPAQUE = re.compile(r"(?<![\w$.])(?:class|import|with)(?![\w$])|[`\\#@]|/\s*[^\s/][^/]*/")
_ASKED = re.compile(r"(?<![\w$.])\$\(\s*([^\W\d][\w$]*)\s*\)")
_DECLARED = re.compile(r"(?<![\w$.])(?:const|let|var|function\s*\*?|catch)(?![\w$])")
_LISTED = re.compile(r"[\s\w$,*]+")
_ASSIGNED = re.compile(r"(?<![\w$])([^\W\d][\w$]*)\s*(?:[-+*/%&|^?<>]{0,3}=(?![=>])|\+\+|--)")
# What an operand can follow; a comma only where it parts arguments or entries of a list.
_BEFORE = frozenset("([=+-*%!?:;&|<>^~")
_WORD_BEFORE = re.compile(r"(?<![\w$.])(?:return|new|in|of|instanceof|void|throw|await)$")
_TYPE_ASKED = re.compile(r"(?<![\w$.])typeof\s*\(*$")
_ELSE = ("||", "??")
_OPENING = {")": "(", "]": "[", "}": "{"}


def bare_names(code: str) -> Iterator[str]:
    """Each name that is read somewhere and that n8n certainly has no value for."""
    if len(code) > _LONGEST or all(name in _GIVEN for name in _NAME.findall(code)):
        return
    outline = outlined(code)
    if _OPAQUE.search(outline):
        return
    declared = _declared(outline)
    if declared is None:
        return
    has_braces = "{" in outline
    entries: set[str] = set()
    for match in _NAME.finditer(outline):
        name = match.group()
        if name in _GIVEN or name in declared or name in entries:
            continue
        if _is_read(outline, match.start(), match.end(), has_braces=has_braces):
            entries.add(name)
            yield name


def asked_without_quotes(code: str) -> Iterator[str]:
    """Names that the code of a body uses only as ``$(Name)``: nothing gives them a value."""
    if "$(" not in code or len(code) > _LONGEST or _ASKED.search(code) is None:
        return
    outline = outlined(code)
    asked = Counter(_ASKED.findall(outline))
    for name, count in asked.items():
        everywhere = rf"(?<![\w$]){re.escape(name)}(?![\w$])"
        if name not in _GIVEN and len(re.findall(everywhere, outline)) == count:
            yield name


def _is_read(outline: str, start: int, end: int, *, has_braces: bool) -> bool:
    """Returns whether a name certainly is an operand: no member, no key, no flag of a pattern.

    One that something else stands in for, or that stands in itself, may do no harm.
    """
    before, after = outline[:start].rstrip(), outline[end:].lstrip()
    if after.startswith(("=>", *_ELSE)) or before.endswith(_ELSE):
        return False
    if after.startswith(":") and not before.endswith("?"):
        return False
    if not before or before.endswith("..."):
        return True
    if _TYPE_ASKED.search(before):
        return False
    if before[-1] == ",":
        return not has_braces
    return before[-1] in _BEFORE or _WORD_BEFORE.search(before) is not None


def _declared(outline: str) -> set[str] | None:
    """Every name that the code may itself give a value to; None where that is unclear."""
    names = set(_ASSIGNED.findall(outline))
    place = outline.find("=>")
    while place >= 0:
        before = outline[:place].rstrip()
        if before.endswith(")"):
            opened = _opened(before)
            if opened is None:
                return None
            before = before[opened:]
            names.update(_NAME.findall(before))
        else:
            names.update(_NAME.findall(before)[-1:])
        place = outline.find("=>", place + 2)
    for match in _DECLARED.finditer(outline):
        rest = outline[match.end() :]
        listed = _LISTED.match(rest)
        if listed is not None:
            names.update(_NAME.findall(listed.group()))
            rest = rest[listed.end() :]
        if rest[:1] in ("(", "[", "{"):
            names.update(_NAME.findall(rest[: _closed(rest)]))
    return names


def _opened(text: str) -> int | None:
    """Returns where the bracket opens that ends a text; None where brackets do not match."""
    open_ones: list[str] = []
    for place in range(len(text) - 1, -1, -1):
        sign = text[place]
        if sign in _OPENING:
            open_ones.append(_OPENING[sign])
        elif open_ones and sign in "([{":
            if open_ones.pop() != sign:
                return None
            if not open_ones:
                return place
    return None


def _closed(text: str) -> int:
    """Returns where the bracket closes that a text begins with; its end where it does not."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if not depth:
            return place
    return len(text)
