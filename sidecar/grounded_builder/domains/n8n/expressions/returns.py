"""Reports code that returns no items."""

from __future__ import annotations

import re

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals
from grounded_builder.domains.n8n.expressions.python import returns_nothing
from grounded_builder.domains.n8n.expressions.texts import Text
from grounded_builder.ir.graph import ResolvedNode

NO_ITEMS = Rule.advice("N8N352", "no-items", "ExpressionError", "The code returns no items.")

# Nodes that fail if their code returns nothing.
_REQUIRE_RESULT = frozenset(
    "n8n-nodes-base." + name for name in ("aiTransform", "code", "function", "functionItem")
)
_ENDS = re.compile(r"(?<![\w$.])(return|throw)(?![\w$])")
# A line that certainly returns an object, as in most code.
_RETURNS_OBJECT = re.compile(
    r"^[^\S\n]*return\s+(?!(?:true|false|null|undefined)\b)[\[({A-Za-z_$]", re.MULTILINE
)
_RETURNS_SCALAR = re.compile(r"\s*(?:['\"`]|-?\d|(?:true|false|null|undefined)(?![\w$])|;|\}|\Z)")


def report_no_items(text: Text, bound: ResolvedNode) -> Diagnostic | None:
    """Reports code without a return statement, or whose only one returns no object."""
    if bound.node.tool not in _REQUIRE_RESULT or not text.value.strip():
        return None
    if text.use == "python":
        fault = "it returns nothing" if returns_nothing(text.value) else None
    else:
        fault = _find_fault(text.value)
    if fault is None:
        return None
    return new_diagnostic(
        NO_ITEMS,
        text.at,
        f'the code of "{text.node}" returns no items: {fault}',
        help="return an object, or a list of objects",
        node=text.node,
    )


def _find_fault(code: str) -> str | None:
    if _RETURNS_OBJECT.search(code) is not None:
        return None
    outline = mask_literals(code)
    ends = list(_ENDS.finditer(outline))
    if not ends:
        return "it returns nothing"
    if len(ends) == 1 and ends[0][1] == "return":
        rest = outline[ends[0].end() :]
        if _RETURNS_SCALAR.match(rest) and not re.search(r"[.\[+(?&|,]", rest):
            return "its result is not an object"
    return None
