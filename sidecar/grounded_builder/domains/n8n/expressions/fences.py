"""Code that still wears the fences of the text it was taken from."""

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
    """Whether code begins with a fence: to JavaScript an empty text that is called, and fails."""
    return code.lstrip().startswith(_FENCE)


def fenced(text: Text) -> Diagnostic:
    """The finding about fenced code; where the fence closes at the end both are taken off."""
    inside = _WHOLE.fullmatch(text.value.strip())
    fix = None
    if inside is not None and _FENCE not in inside[1]:
        code = inside[1].rstrip(" \t").removesuffix("\n").removesuffix("\r")
        fix = Fix(True, (Edit("set", text.at, code),), "takes the fences off")
    return new_diagnostic(
        BROKEN_EXPRESSION,
        text.at,
        f'the code of "{text.node}" stands between fences, which are no code: n8n fails on them',
        help="give the code alone, without ```",
        node=text.node,
        token=_FENCE,
        fix=fix,
    )
