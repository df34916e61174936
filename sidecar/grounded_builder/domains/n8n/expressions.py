"""Expressions and code: do they parse, and do the nodes exist that they name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, found
from grounded_builder.domains.n8n.javascript import Form, refusals
from grounded_builder.domains.n8n.leniency import is_let_pass, mended, neutral
from grounded_builder.domains.n8n.plain_forms import is_plain
from grounded_builder.domains.n8n.references import may_refer, references, unknown
from grounded_builder.domains.n8n.spelling import Names
from grounded_builder.domains.n8n.texts import Text, texts_of
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# A statement where n8n takes an expression; compiling alone would let it pass.
_STATEMENT = re.compile(
    r"(?:\s|//[^\n]*\n|/\*.*?\*/)*"
    r"(?:;|(?:if|for|while|do|switch|try|throw|var|const|return|break|continue|class|function"
    r"|async\s+function|debugger|with|import|export)(?![\w$])(?!\s*[:.]))",
    re.DOTALL,
)
_BRACES = re.compile(
    r"\{\{[^{}]*?\$(?:json|node|input|now|today|items|execution|workflow|\()[^{}]*\}\}"
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The code between two braces; ``start`` is its place in the expression, after the ``=``."""

    code: str
    start: int
    closed: bool


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Find what n8n's parser refuses, names that no node has, and braces that stay text."""
    del registry, setting
    names = Names(resolved.by_name)
    doubtful: list[tuple[Text, Form, str]] = []
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
    yield from _refused(doubtful)


def split(expression: str) -> list[Chunk]:
    """The pieces of code in an expression, cut as n8n cuts it: up to the first ``}}``.

    A string does not protect a brace pair, an odd number of backslashes before it does; what is
    never closed is code to the end.
    """
    chunks: list[Chunk] = []
    index, slice_start, begin = 0, 0, -1
    while index < len(expression):
        mark = "{{" if begin < 0 else "}}"
        place = expression.find(mark, index)
        if place < 0:
            break
        before = expression[slice_start:place]
        index = slice_start = place + 2
        if (len(before) - len(before.rstrip("\\"))) % 2:
            continue
        if begin < 0:
            begin = place + 2
        else:
            chunks.append(Chunk(_unescaped(expression[begin:place]), begin, closed=True))
            begin = -1
    if 0 <= begin < len(expression):
        chunks.append(Chunk(_unescaped(expression[begin:]), begin, closed=False))
    return chunks


def _unescaped(code: str) -> str:
    """n8n takes the backslash off the first escaped closing pair."""
    return code.replace("\\}}", "}}", 1)


def _refused(doubtful: list[tuple[Text, Form, str]]) -> Iterator[Diagnostic]:
    if not doubtful:
        return
    asked: list[tuple[Form, str]] = [(form, neutral(code)) for _, form, code in doubtful]
    answers = zip(doubtful, refusals(asked), strict=True)
    refused = [(one, reason) for one, reason in answers if reason or _no_expression(*one[1:])]
    second: list[tuple[Form, str]] = [
        ("expression", mended(code)) for (_, form, code), reason in refused if form == "expression"
    ]
    passes = dict(zip(second, refusals(second), strict=True)) if second else {}
    for (text, form, code), reason in refused:
        said = _no_expression(form, code)
        if said is None and reason is not None:
            if form == "expression" and (
                is_let_pass(reason) or passes["expression", mended(code)] is None
            ):
                continue
            said = "Unexpected token '#'" if reason.startswith("Private field") else reason
        if said is not None:
            yield _broken(text, form, code, said)


def _no_expression(form: Form, code: str) -> str | None:
    if form != "expression":
        return None
    if not _COMMENT.sub("", code).strip():
        return "there is nothing between the braces"
    return "n8n takes an expression there, not a statement" if _STATEMENT.match(code) else None


def _broken(text: Text, form: Form, code: str, reason: str) -> Diagnostic:
    what = "the code" if form == "body" else f'the expression "{_short(code)}"'
    return found(
        "N8N321",
        text.at,
        f'{what} of "{text.node}" does not parse: {reason}',
        help="correct its JavaScript"
        if form == "body"
        else "correct the JavaScript between the braces, or write a text without a leading =",
        node=text.node,
        token=_short(code),
    )


def _literal_braces(text: Text) -> Diagnostic:
    whole = text.value.strip()
    is_one = whole.startswith("{{") and whole.endswith("}}") and whole.count("{{") == 1
    edit = Edit("set", text.at, "=" + text.value)
    return found(
        "N8N323",
        text.at,
        f'"{_short(text.value)}" of "{text.node}" stays plain text: it does not begin with =',
        help="put = before it where it is to be evaluated",
        node=text.node,
        token=_short(text.value),
        fix=Fix(is_one, (edit,), f'"{_short(text.value)}" is an expression'),
    )


def _short(code: str) -> str:
    line = " ".join(code.split())
    return line if len(line) <= 60 else line[:57] + "..."
