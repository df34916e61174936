"""Recognizes simple expressions that are always valid, without a JavaScript engine."""

from __future__ import annotations

import re
from functools import lru_cache

import regex

# All quantifiers are possessive: matching takes linear time. Python's re module handles possessive
# groups wrongly before 3.11.5. Letters, digits and spaces are listed explicitly, as the classes of
# regular expressions include more characters than JavaScript accepts.
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
# The most common form, matched without the other patterns: $json.a[0], $('X').first().json.b
_SIMPLE = re.compile(
    r"""[ \t\r\n]*\$(?:[A-Za-z_][A-Za-z0-9_$]*|\((?:'[^'\\\r\n]*'|"[^"\\\r\n]*")\))
    (?:\.[A-Za-z_$][A-Za-z0-9_$]*|\[(?:0|[1-9][0-9]*|'[^'\\\r\n]*'|"[^"\\\r\n]*")\]|\(\))*
    [ \t\r\n]*""",
    re.VERBOSE,
)
_CACHE_SIZE, _MAX_CACHED_LENGTH = 4_096, 500
# Matching a named form costs time for all text before it: for longer code V8 is faster.
_MAX_LENGTH = 2_000


def _chain_pattern(argument: str) -> str:
    """Returns the pattern of a value with members: ``$json.a[0]``, ``$('X').first().json.b``."""
    arguments = rf"\({_GAP}(?:{argument}(?:{_GAP},{_GAP}{argument})*+)?{_GAP}\)"
    asked, made = rf"\$\({_GAP}(?&string){_GAP}\)", rf"new[ \t\r\n]++Date{_GAP}{arguments}"
    start = rf"(?:{asked}|{_VARIABLE}|{_GLOBAL}|{made})"
    step = rf"{_GAP}\??\.{_GAP}{_NAME}|\[{_GAP}(?:{_INDEX}|(?&string)){_GAP}\]|{_GAP}{arguments}"
    return rf"(?:{start}(?:{step})*+)"


def _term_pattern(argument: str) -> str:
    array = rf"\[{_GAP}(?:{argument}(?:{_GAP},{_GAP}{argument})*+)?{_GAP}\]"
    return rf"!*+(?:{_chain_pattern(argument)}|(?&string)|{_NUMBER}|{array}|\{{{_GAP}\}})"


_OPERATOR = r"(?:\|\||&&|\?\?|===?|!==?|[<>]=?|[-+*/%](?![-+*/=]))"
# The forms refer to each other by name: nested literally they take half a second to compile.
_FORMS = {
    "string": _STRING,
    "bare": rf"(?:(?&string)|{_NUMBER}|\[{_GAP}\]|\{{{_GAP}\}})",
    "inner": _term_pattern("(?&bare)"),
    "outer": _term_pattern("(?&inner)"),
    "operation": rf"(?&outer)(?:{_GAP}{_OPERATOR}{_GAP}(?&outer))*+",
}
_DEFINED = "".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
_CHOICE = rf"{_GAP}\?(?![?.]){_GAP}(?&operation){_GAP}:{_GAP}(?&operation)"
_PLAIN = regex.compile(rf"(?(DEFINE){_DEFINED}){_GAP}(?&operation)(?:{_CHOICE})?{_GAP}")


def is_plain(code: str) -> bool:
    """Returns whether code has a form that every JavaScript parser accepts; False is no verdict."""
    if _SIMPLE.fullmatch(code) is not None:
        return True
    if len(code) > _MAX_LENGTH:
        return False
    return (_is_operation_cached if len(code) <= _MAX_CACHED_LENGTH else _is_operation)(code)


def _is_operation(code: str) -> bool:
    if _PLAIN.fullmatch(code) is None:
        return False
    # The operators || and && need brackets next to ??.
    return "??" not in code or ("||" not in code and "&&" not in code)


_is_operation_cached = lru_cache(_CACHE_SIZE)(_is_operation)
