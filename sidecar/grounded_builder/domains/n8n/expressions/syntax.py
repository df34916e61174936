"""Compiles code with V8, and reports snippets that n8n's parser rejects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.fences import BROKEN_EXPRESSION
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.domains.n8n.expressions.tolerant_syntax import (
    add_missing_commas,
    is_tolerated,
    neutralize_html_comments,
)
from grounded_builder.domains.n8n.javascript.evaluate import Form, begin_compilation, compile_errors

EXPRESSION_ENDS_EARLY = Rule.wrong(
    "N8N353",
    "expression-ends-early",
    "ExpressionError",
    "Braces inside an expression end it too early.",
)

Snippet = tuple[Text, Form, str]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
# A statement where n8n expects an expression, which compiles nevertheless.
_STATEMENT = re.compile(
    r"(?:\s|//[^\n]*\n|/\*[^*]*\*+(?:[^*/][^*]*\*+)*/)*"
    r"(?:;|(?:if|for|while|do|switch|try|throw|var|const|return|break|continue|class|function"
    r"|async\s+function|debugger|with|import|export)(?![\w$])(?!\s*[:.])"
    r"|let\s+(?!(?:in|instanceof|of)(?![\w$]))[\w$\[{]"
    r"|[A-Za-z_$][\w$]*\s*:)",
    re.DOTALL,
)


def begin_syntax(doubtful: Sequence[Snippet]) -> Callable[[], Iterator[Diagnostic]]:
    """Starts V8 on the snippets; returns a function that waits and yields the diagnostics."""
    if not doubtful:
        return lambda: iter(())
    # V8 treats <!-- as an HTML comment, n8n's parser of expressions does not.
    answered = begin_compilation(
        [
            (form, neutralize_html_comments(code) if form == "expression" else code)
            for _, form, code in doubtful
        ]
    )
    return lambda: _check_snippets(doubtful, answered())


def _check_snippets(
    doubtful: Sequence[Snippet], reasons: Sequence[str | None]
) -> Iterator[Diagnostic]:
    answers = zip(doubtful, reasons, strict=True)
    refused = [(item, reason) for item, reason in answers if reason or _statement_fault(*item[1:])]
    intentions = {
        code: _possible_intentions(text, code)
        for (text, form, code), _ in refused
        if form == "expression"
    }
    again = dict.fromkeys(name for both in intentions.values() for name in both if name is not None)
    second: list[tuple[Form, str]] = [("expression", code) for code in again]
    passes = dict(zip(again, compile_errors(second), strict=True)) if second else {}
    for (text, form, code), reason in refused:
        fault = _statement_fault(form, code)
        corrected, longer = intentions.get(code, (None, None))
        if fault is None and reason is not None:
            if form == "expression" and (
                is_tolerated(reason, is_long=corrected is None)
                or (corrected is not None and passes[corrected] is None)
            ):
                continue
            fault = "Unexpected token '#'" if reason.startswith("Private field") else reason
        if fault is None:
            continue
        if longer and passes[longer] is None and _statement_fault(form, longer) is None:
            yield _report_early_end(text, code)
        else:
            yield report_broken_code(text, form, code, fault)


def _possible_intentions(text: Text, code: str) -> tuple[str | None, str | None]:
    """Returns the code with missing commas added, and the code up to the next closing braces."""
    return add_missing_commas(code), _extend_to_next_braces(text, code)


def _extend_to_next_braces(text: Text, code: str) -> str | None:
    """Returns the code up to the next closing braces, None without any."""
    place = text.value.find(code + "}}")
    end = text.value.find("}}", place + len(code) + 2)
    if place < 0 or end < 0 or "{{" in text.value[place + len(code) : end]:
        return None
    while text.value[end + 2 : end + 3] == "}":
        end += 1
    return text.value[place:end]


def _statement_fault(form: Form, code: str) -> str | None:
    if form != "expression":
        return None
    if not _COMMENT.sub("", code).strip():
        return "there is nothing between the braces"
    return "n8n expects an expression, not a statement" if _STATEMENT.match(code) else None


def report_broken_code(text: Text, form: Form, code: str, reason: str) -> Diagnostic:
    """Builds the diagnostic for code that does not parse."""
    what = "the code" if form == "body" else f'the expression "{shorten_code(code)}"'
    return new_diagnostic(
        BROKEN_EXPRESSION,
        text.at,
        f'{what} of "{text.node}" does not parse: {reason}',
        help=f"correct its {'Python' if text.use == 'python' else 'JavaScript'}"
        if form == "body"
        else "correct the JavaScript between the braces, or write a text without a leading =",
        node=text.node,
        token=shorten_code(code),
    )


def _report_early_end(text: Text, code: str) -> Diagnostic:
    return new_diagnostic(
        EXPRESSION_ENDS_EARLY,
        text.at,
        f'the expression "{shorten_code(code)}" of "{text.node}" ends too early: n8n ends it at '
        "the first }}, even in a string or an object",
        help="put a space between the inner braces, or write one as \\u007d in a string",
        node=text.node,
        token=shorten_code(code),
    )


def shorten_code(code: str) -> str:
    """Returns code on a single line of at most 60 characters."""
    line = " ".join(code.split())
    return line if len(line) <= 60 else line[:57] + "..."
