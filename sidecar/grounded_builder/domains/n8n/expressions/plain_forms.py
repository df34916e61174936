"""The plain forms of expressions that are always valid, so that most need no JavaScript engine."""

from __future__ import annotations

import re
from functools import lru_cache

import regex

# Quantifiers are possessive throughout: no text takes more than linear time. Python's own re
# gets possessive groups wrong before 3.11.5. Letters, digits and gaps are listed: what regular
# expressions take for them is more than JavaScript does.
_GAP = r"[ \t\r\n]*+"
_STRING = r"""(?:'(?:[^'\\\r\n]|\\[nrt'"\\/])*+'|"(?:[^"\\\r\n]|\\[nrt'"\\/])*+")"""
_LETTER = "A-Za-z_$À-ÖØ-öø-ɏ一-鿿"
_NAME = rf"[{_LETTER}][{_LETTER}0-9]*+"
_VARIABLE = r"\$[A-Za-z_][A-Za-z0-9_$]*+"
_INDEX = r"(?:0|[1-9][0-9]*+)"
_NUMBER = rf"{_INDEX}(?:\.[0-9]++)?(?![\w.$])"
_GLOBAL = (
    r"(?:JSON|Math|Date|DateTime|Object|Number|String|Boolean|parseInt|parseFloat|isNaN"
    r"|encodeURIComponent|encodeURI|decodeURIComponent|true|false|null|undefined)(?![\w$])"
)
# What most are, told without the rest: $json.a[0], $('X').first().json.b
_SIMPLE = re.compile(
    r"""[ \t\r\n]*\$(?:[A-Za-z_][A-Za-z0-9_$]*|\((?:'[^'\\\r\n]*'|"[^"\\\r\n]*")\))
    (?:\.[A-Za-z_$][A-Za-z0-9_$]*|\[(?:0|[1-9][0-9]*|'[^'\\\r\n]*'|"[^"\\\r\n]*")\]|\(\))*
    [ \t\r\n]*""",
    re.VERBOSE,
)
_REMEMBERED, _LONGEST_REMEMBERED = 4_096, 500
# A form called by name costs what was read so far: beyond this the JavaScript engine is quicker.
_LONGEST = 2_000


def _chain(argument: str) -> str:
    """Returns a value and what is read of it: ``$json.a[0]``, ``$('X').first().json.b``."""
    arguments = rf"\({_GAP}(?:{argument}(?:{_GAP},{_GAP}{argument})*+)?{_GAP}\)"
    asked, made = rf"\$\({_GAP}(?&string){_GAP}\)", rf"new[ \t\r\n]++Date{_GAP}{arguments}"
    start = rf"(?:{asked}|{_VARIABLE}|{_GLOBAL}|{made})"
    step = rf"{_GAP}\??\.{_GAP}{_NAME}|\[{_GAP}(?:{_INDEX}|(?&string)){_GAP}\]|{_GAP}{arguments}"
    return rf"(?:{start}(?:{step})*+)"


def _term(argument: str) -> str:
    listed = rf"\[{_GAP}(?:{argument}(?:{_GAP},{_GAP}{argument})*+)?{_GAP}\]"
    return rf"!*+(?:{_chain(argument)}|(?&string)|{_NUMBER}|{listed}|\{{{_GAP}\}})"


_OPERATOR = r"(?:\|\||&&|\?\?|===?|!==?|[<>]=?|[-+*/%](?![-+*/=]))"
# Each form once, called by name: written out in one another they take half a second to compile.
_FORMS = {
    "string": _STRING,
    "bare": rf"(?:(?&string)|{_NUMBER}|\[{_GAP}\]|\{{{_GAP}\}})",
    "inner": _term("(?&bare)"),
    "outer": _term("(?&inner)"),
    "operation": rf"(?&outer)(?:{_GAP}{_OPERATOR}{_GAP}(?&outer))*+",
}
_DEFINED = "".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
_CHOICE = rf"{_GAP}\?(?![?.]){_GAP}(?&operation){_GAP}:{_GAP}(?&operation)"
_PLAIN = regex.compile(rf"(?(DEFINE){_DEFINED}){_GAP}(?&operation)(?:{_CHOICE})?{_GAP}")


def is_plain(code: str) -> bool:
    """Returns whether code is of a form that no JavaScript parser refuses; False says nothing."""
    if _SIMPLE.fullmatch(code) is not None:
        return True
    if len(code) > _LONGEST:
        return False
    return (_told if len(code) <= _LONGEST_REMEMBERED else _is_operation)(code)


def _is_operation(code: str) -> bool:
    if _PLAIN.fullmatch(code) is None:
        return False
    # Mixed with ?? the other two need brackets.
    return "??" not in code or ("||" not in code and "&&" not in code)


_told = lru_cache(_REMEMBERED)(_is_operation)
