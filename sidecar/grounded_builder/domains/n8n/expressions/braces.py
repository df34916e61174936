"""Braces and equals signs: what keeps a text from being the expression that was meant."""

from __future__ import annotations

import re

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.syntax import short
from grounded_builder.domains.n8n.expressions.texts import Text

LITERAL_BRACES = Rule.advice(
    "N8N323", "literal-braces", "ExpressionError", "Braces without = stay plain text."
)
UNCLOSED_BRACES = Rule.advice(
    "N8N324", "unclosed-braces", "ExpressionError", "Braces are opened but not closed."
)
MISSING_BRACES = Rule.advice(
    "N8N325", "missing-braces", "ExpressionError", "Code without braces stays plain text."
)

_NAMES = re.compile(
    r"(?<![\w$.])(?:\$\(|DateTime\.|new Date\(|Date\.now\("
    r"|\$(?:binary|env|execution|fromAI|if|input|itemIndex|items|jmespath"
    r"|json|node|now|parameter|prevNode|request|response|runIndex|today|vars|workflow)(?![\w$]))"
)


def literal_braces(text: Text) -> Diagnostic | None:
    """Braces with n8n's names in a text without ``=``; mended where they are the whole text."""
    # A text may hold a workflow with expressions of its own.
    pieces = [
        piece.code
        for piece in split(text.value)
        if piece.closed and text.value[: piece.start - 2][-2:] != '"='
    ]
    if not any(map(_NAMES.search, pieces)):
        return None
    whole = text.value.strip()
    is_one = whole.startswith("{{") and whole.endswith("}}") and whole.count("{{") == 1
    edit = Edit("set", text.at, "=" + text.value)
    return new_diagnostic(
        LITERAL_BRACES,
        text.at,
        f'"{short(text.value)}" of "{text.node}" stays plain text: it does not begin with =',
        help="put = before it where it is to be evaluated",
        node=text.node,
        token=short(text.value),
        fix=Fix(is_one, (edit,), f'"{short(text.value)}" is an expression'),
    )


def no_braces(text: Text) -> Diagnostic:
    """Returns a text with ``=`` and n8n's names, but without double braces."""
    return new_diagnostic(
        MISSING_BRACES,
        text.at,
        f'"{short(text.value)}" of "{text.node}" stays plain text: it has no braces',
        help="write ={{ ... }} around the code where it is to be evaluated",
        node=text.node,
        token=short(text.value),
    )


def is_open(value: str) -> bool:
    """Returns whether the last braces of an expression open and never close."""
    if value.rfind("{{") <= value.rfind("}}"):
        return False
    pieces = split(value[1:])
    return bool(pieces) and not pieces[-1].closed and bool(pieces[-1].code.strip())


def unclosed(text: Text) -> Diagnostic:
    """Braces that open and never close: n8n takes all that follows for code."""
    code = short(split(text.value[1:])[-1].code)
    return new_diagnostic(
        UNCLOSED_BRACES,
        text.at,
        f'an expression of "{text.node}" is not closed: n8n takes all of "{code}" for code',
        help="write }} where the code ends",
        node=text.node,
        token=code,
    )
