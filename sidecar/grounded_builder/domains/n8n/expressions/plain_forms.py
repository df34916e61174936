"""The plain forms of expressions that are always valid, so that most need no JavaScript engine."""

from __future__ import annotations

import regex

# Quantifiers are possessive throughout: no text takes more than linear time. Python's own re
# gets possessive groups wrong before 3.11.5.
_STRING = r"""(?:'(?:[^'\\\n]|\\[nrt'"\\/])*+'|"(?:[^"\\\n]|\\[nrt'"\\/])*+")"""
_LETTER = "A-Za-z_$À-ÖØ-öø-ɏ一-鿿"
_NAME = rf"[{_LETTER}][{_LETTER}0-9]*+"
_NUMBER = r"\d++(?:\.\d++)?(?![\w.$])"
_GLOBAL = (
    r"(?:JSON|Math|Date|DateTime|Object|Number|String|Boolean|parseInt|parseFloat|isNaN"
    r"|encodeURIComponent|encodeURI|decodeURIComponent|true|false|null|undefined)(?![\w$])"
)


def _chain(argument: str) -> str:
    """A value and what is read of it: ``$json.a[0]``, ``$('X').first().json.b``."""
    arguments = rf"\(\s*+(?:{argument}(?:\s*+,\s*+{argument})*+)?\s*+\)"
    start = (
        rf"(?:\$(?:\(\s*+{_STRING}\s*+\)|[A-Za-z_][\w$]*+)|{_GLOBAL}|new\s++Date\s*+{arguments})"
    )
    step = rf"\s*+\??\.\s*+{_NAME}|\[\s*+(?:\d++|{_STRING})\s*+\]|\s*+{arguments}"
    return rf"(?:{start}(?:{step})*+)"


def _term(argument: str) -> str:
    listed = rf"\[\s*+(?:{argument}(?:\s*+,\s*+{argument})*+)?\s*+\]"
    return rf"!*+(?:{_chain(argument)}|{_STRING}|{_NUMBER}|{listed}|\{{\s*+\}})"


_BARE = rf"(?:{_STRING}|{_NUMBER}|\[\s*+\]|\{{\s*+\}})"
_INNER = _term(_BARE)
_OUTER = _term(_INNER)
_OPERATOR = r"(?:\|\||&&|\?\?|===?|!==?|[<>]=?|[-+*/%](?![-+*/=]))"
_OPERATION = rf"{_OUTER}(?:\s*+{_OPERATOR}\s*+{_OUTER})*+"
_PLAIN = regex.compile(
    rf"\s*+{_OPERATION}(?:\s*+\?(?![?.])\s*+{_OPERATION}\s*+:\s*+{_OPERATION})?\s*+"
)


def is_plain(code: str) -> bool:
    """Whether code is of a form that no JavaScript parser refuses; False says nothing."""
    if _PLAIN.fullmatch(code) is None:
        return False
    # Mixed with ?? the other two need brackets.
    return "??" not in code or ("||" not in code and "&&" not in code)
