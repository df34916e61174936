"""Recognizes and reports code inside Markdown fences, with a fix that removes the fences."""

from __future__ import annotations

import re

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.texts import Text

BROKEN_EXPRESSION = Rule.wrong(
    "N8N321", "broken-expression", "ExpressionError", "An expression does not parse."
)

_FENCE = "```"
_WHOLE = re.compile(r"```[ \t]*+[\w+#.-]*+[ \t]*+\r?\n(.*)```", re.DOTALL)


def is_fenced(code: str) -> bool:
    """Returns whether code begins with a Markdown fence, which fails as JavaScript."""
    return code.lstrip().startswith(_FENCE)


def report_fences(text: Text) -> Diagnostic:
    """Reports fenced code; the fix removes the fences if the code ends with one."""
    inside = _WHOLE.fullmatch(text.value.strip())
    fix = None
    if inside is not None and _FENCE not in inside[1]:
        code = inside[1].rstrip(" \t").removesuffix("\n").removesuffix("\r")
        fix = Fix(True, (Edit("set", text.at, code),), "removes the fences")
    return new_diagnostic(
        BROKEN_EXPRESSION,
        text.at,
        f'the code of "{text.node}" is inside Markdown fences: n8n fails on them',
        help="write the code without ```",
        node=text.node,
        token=_FENCE,
        fix=fix,
    )
