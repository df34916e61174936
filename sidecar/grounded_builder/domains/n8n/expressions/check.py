"""Expressions and code: do they parse, and does what they name exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, found
from grounded_builder.domains.n8n.expressions.pieces import split
from grounded_builder.domains.n8n.expressions.plain_forms import is_plain
from grounded_builder.domains.n8n.expressions.references import may_refer, references, unknown
from grounded_builder.domains.n8n.expressions.syntax import Snippet, check_syntax, short
from grounded_builder.domains.n8n.expressions.texts import Text, texts_of
from grounded_builder.domains.n8n.spelling import Names
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting

_BRACES = re.compile(
    r"\{\{[^{}]*?\$(?:json|node|input|now|today|items|execution|workflow|\()[^{}]*\}\}"
)


def check_expressions(
    resolved: Resolved, registry: Registry, setting: Setting
) -> Iterator[Diagnostic]:
    """Find what n8n's parser refuses, names that no node has, and braces that stay text."""
    del registry, setting
    names = Names(resolved.by_name)
    doubtful: list[Snippet] = []
    for bound in resolved.bound:
        if bound.spec is None or bound.node.disabled:
            continue
        for text in texts_of(bound):
            if text.use == "plain":
                if _BRACES.search(text.value):
                    yield _literal_braces(text)
                continue
            if text.use == "code":
                doubtful.append((text, "body", text.value))
                parts = [(text.value, 0)]
            else:
                parts = [(piece.code, piece.start + 1) for piece in split(text.value[1:])]
                for code, _ in parts:
                    # What ends so held an escaped pair, of which n8n's parser lets the end pass.
                    if not is_plain(code) and not code.endswith("}}"):
                        doubtful.append((text, "expression", code))
            if may_refer(text.value):
                said = [ref for code, start in parts for ref in references(code, start)]
                yield from unknown(text, said, names, resolved.by_name)
    yield from check_syntax(doubtful)


def _literal_braces(text: Text) -> Diagnostic:
    whole = text.value.strip()
    is_one = whole.startswith("{{") and whole.endswith("}}") and whole.count("{{") == 1
    edit = Edit("set", text.at, "=" + text.value)
    return found(
        "N8N323",
        text.at,
        f'"{short(text.value)}" of "{text.node}" stays plain text: it does not begin with =',
        help="put = before it where it is to be evaluated",
        node=text.node,
        token=short(text.value),
        fix=Fix(is_one, (edit,), f'"{short(text.value)}" is an expression'),
    )
