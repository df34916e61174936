"""Which code n8n's parser refuses: one call of V8 for all of it, one more for what V8 refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.fences import BROKEN_EXPRESSION
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.domains.n8n.expressions.tolerant_syntax import is_let_pass, mended, neutral
from grounded_builder.domains.n8n.javascript.evaluate import Form, begin, refusals

EXPRESSION_ENDS_EARLY = Rule.wrong(
    "N8N353",
    "expression-ends-early",
    "ExpressionError",
    "Braces inside an expression end it too early.",
)

Snippet = tuple[Text, Form, str]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
# A statement where n8n takes an expression; compiling alone would let it pass.
_STATEMENT = re.compile(
    r"(?:\s|//[^\n]*\n|/\*[^*]*\*+(?:[^*/][^*]*\*+)*/)*"
    r"(?:;|(?:if|for|while|do|switch|try|throw|var|const|return|break|continue|class|function"
    r"|async\s+function|debugger|with|import|export)(?![\w$])(?!\s*[:.])"
    r"|let\s+(?!(?:in|instanceof|of)(?![\w$]))[\w$\[{]"
    r"|[A-Za-z_$][\w$]*\s*:)",
    re.DOTALL,
)


def begin_syntax(doubtful: Sequence[Snippet]) -> Callable[[], Iterator[Diagnostic]]:
    """Have V8 look at snippets while the caller goes on; gives what finds those it refuses."""
    if not doubtful:
        return lambda: iter(())
    # n8n's parser takes an arrow for less and not; the Code node's, V8, for an HTML comment.
    answered = begin(
        [(form, neutral(code) if form == "expression" else code) for _, form, code in doubtful]
    )
    return lambda: _findings(doubtful, answered())


def _findings(doubtful: Sequence[Snippet], reasons: Sequence[str | None]) -> Iterator[Diagnostic]:
    answers = zip(doubtful, reasons, strict=True)
    refused = [(item, reason) for item, reason in answers if reason or _no_expression(*item[1:])]
    entries = {
        code: _meant(text, code) for (text, form, code), _ in refused if form == "expression"
    }
    again = dict.fromkeys(name for both in entries.values() for name in both if name is not None)
    second: list[tuple[Form, str]] = [("expression", code) for code in again]
    passes = dict(zip(again, refusals(second), strict=True)) if second else {}
    for (text, form, code), reason in refused:
        no_expression = _no_expression(form, code)
        mended_code, longer = entries.get(code, (None, None))
        if no_expression is None and reason is not None:
            if form == "expression" and (
                is_let_pass(reason, is_long=mended_code is None)
                or (mended_code is not None and passes[mended_code] is None)
            ):
                continue
            no_expression = "Unexpected token '#'" if reason.startswith("Private field") else reason
        if no_expression is None:
            continue
        if longer and passes[longer] is None and _no_expression(form, longer) is None:
            yield _cut(text, code)
        else:
            yield broken(text, form, code, no_expression)


def _meant(text: Text, code: str) -> tuple[str | None, str | None]:
    """What may have been meant: the code with its commas, and up to the next closing braces."""
    return mended(code), _longer(text, code)


def _longer(text: Text, code: str) -> str | None:
    """Returns the code up to the next closing braces, were they meant; None without any."""
    place = text.value.find(code + "}}")
    end = text.value.find("}}", place + len(code) + 2)
    if place < 0 or end < 0 or "{{" in text.value[place + len(code) : end]:
        return None
    while text.value[end + 2 : end + 3] == "}":
        end += 1
    return text.value[place:end]


def _no_expression(form: Form, code: str) -> str | None:
    if form != "expression":
        return None
    if not _COMMENT.sub("", code).strip():
        return "there is nothing between the braces"
    return "n8n takes an expression there, not a statement" if _STATEMENT.match(code) else None


def broken(text: Text, form: Form, code: str, reason: str) -> Diagnostic:
    """Returns the finding about code that does not parse."""
    what = "the code" if form == "body" else f'the expression "{short(code)}"'
    return new_diagnostic(
        BROKEN_EXPRESSION,
        text.at,
        f'{what} of "{text.node}" does not parse: {reason}',
        help=f"correct its {'Python' if text.use == 'python' else 'JavaScript'}"
        if form == "body"
        else "correct the JavaScript between the braces, or write a text without a leading =",
        node=text.node,
        token=short(code),
    )


def _cut(text: Text, code: str) -> Diagnostic:
    return new_diagnostic(
        EXPRESSION_ENDS_EARLY,
        text.at,
        f'the expression "{short(code)}" of "{text.node}" ends too early: n8n ends it at the first '
        "}}, in a text or an object too",
        help="put a space between the two braces inside, or write one of them as \\u007d in a text",
        node=text.node,
        token=short(code),
    )


def short(code: str) -> str:
    """Code on one line, at most 60 characters of it."""
    line = " ".join(code.split())
    return line if len(line) <= 60 else line[:57] + "..."
