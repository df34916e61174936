"""Code that hands no items back."""

from __future__ import annotations

import re

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.mask_literals import outlined
from grounded_builder.domains.n8n.expressions.python import returns_nothing
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.ir.graph import ResolvedNode

NO_ITEMS = Rule.advice("N8N352", "no-items", "ExpressionError", "The code returns no items.")

# Nodes that fail when their code hands nothing back.
_MUST = frozenset(
    "n8n-nodes-base." + name for name in ("aiTransform", "code", "function", "functionItem")
)
_ENDS = re.compile(r"(?<![\w$.])(return|throw)(?![\w$])")
# A line that surely returns an object: what most code has.
_SURE = re.compile(
    r"^[^\S\n]*return\s+(?!(?:true|false|null|undefined)\b)[\[({A-Za-z_$]", re.MULTILINE
)
_BARE = re.compile(r"\s*(?:['\"`]|-?\d|(?:true|false|null|undefined)(?![\w$])|;|\}|\Z)")


def no_items(text: Text, bound: ResolvedNode) -> Diagnostic | None:
    """The finding about code that cannot hand items back: no return, or one of no object."""
    if bound.node.tool not in _MUST or not text.value.strip():
        return None
    if text.use == "python":
        lacking = "it returns nothing" if returns_nothing(text.value) else None
    else:
        lacking = _lacking(text.value)
    if lacking is None:
        return None
    return new_diagnostic(
        NO_ITEMS,
        text.at,
        f'the code of "{text.node}" hands no items back: {lacking}',
        help="return an object, or a list of objects",
        node=text.node,
    )


def _lacking(code: str) -> str | None:
    if _SURE.search(code) is not None:
        return None
    outline = outlined(code)
    ends = list(_ENDS.finditer(outline))
    if not ends:
        return "it returns nothing"
    if len(ends) == 1 and ends[0][1] == "return":
        rest = outline[ends[0].end() :]
        if _BARE.match(rest) and not re.search(r"[.\[+(?&|,]", rest):
            return "what it returns is no object"
    return None
