"""Reports missing or unclosed braces and equals signs that turn expressions into plain text."""

from __future__ import annotations

import re

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.syntax import shorten_code
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


def report_literal_braces(text: Text) -> Diagnostic | None:
    """Reports braces with n8n's names in a text without ``=``.

    The fix is safe if the braces are the whole text.
    """
    # A text may contain a workflow with its own expressions.
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
        f'"{shorten_code(text.value)}" of "{text.node}" stays plain text: it does not begin with =',
        help="put = before it to make it an expression",
        node=text.node,
        token=shorten_code(text.value),
        fix=Fix(is_one, (edit,), f'"{shorten_code(text.value)}" is an expression'),
    )


def report_missing_braces(text: Text) -> Diagnostic:
    """Reports a text with ``=`` and n8n's names but without double braces."""
    return new_diagnostic(
        MISSING_BRACES,
        text.at,
        f'"{shorten_code(text.value)}" of "{text.node}" stays plain text: it has no braces',
        help="write ={{ ... }} around the code to make it an expression",
        node=text.node,
        token=shorten_code(text.value),
    )


def has_unclosed_braces(value: str) -> bool:
    """Returns whether the last braces of an expression are not closed."""
    if value.rfind("{{") <= value.rfind("}}"):
        return False
    pieces = split(value[1:])
    return bool(pieces) and not pieces[-1].closed and bool(pieces[-1].code.strip())


def report_unclosed_braces(text: Text) -> Diagnostic:
    """Reports braces that are not closed: n8n treats the rest of the text as code."""
    code = shorten_code(split(text.value[1:])[-1].code)
    return new_diagnostic(
        UNCLOSED_BRACES,
        text.at,
        f'an expression of "{text.node}" is not closed: n8n treats all of "{code}" as code',
        help="write }} where the code ends",
        node=text.node,
        token=code,
    )
