"""Values that a model is to fill in, where no model asks for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.expressions.mask_literals import outlined
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.texts import Text, texts_of
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISPLACED_FROM_AI = Rule.wrong(
    "N8N320", "misplaced-from-ai", "ExpressionError", "No model supplies this $fromAI value."
)

_TOOL = "ai_tool"
# n8n-workflow from-ai-parse-utils finds the call by this pattern, in any case.
_CALL = re.compile(r"\$fromAI\s*\(", re.IGNORECASE)


def check_from_ai(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find ``$fromAI`` in a node that is no tool and serves none.

    There n8n reads the name from the incoming item instead (workflow-data-proxy, handleFromAi).
    """
    for bound in resolved.nodes:
        if bound.spec is None or bound.node.disabled:
            continue
        for text in texts_of(bound):
            if (
                "$from" in text.value
                and any(_CALL.search(code) for code in _evaluated(text))
                and not _serves_a_tool(bound, wiring)
            ):
                yield _stray(bound, text.at)


def _evaluated(text: Text) -> list[str]:
    """The code in a text without comments and strings: a call that is only talked about is none."""
    if text.use == "code":
        return [outlined(text.value)]
    if text.use == "expression":
        return [outlined(piece.code) for piece in split(text.value[1:])]
    return []


def _stray(bound: ResolvedNode, at: Route) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        MISPLACED_FROM_AI,
        at,
        f'"{name}" is no tool: no model fills in its $fromAI',
        help=f'connect a tool variant of the node to an agent, or write where "{name}" takes the '
        "value from, such as {{ $json.field }}",
        node=name,
        token="$fromAI",  # noqa: S106 - the user's text, no secret
    )


def _serves_a_tool(bound: ResolvedNode, wiring: Wiring) -> bool:
    """Whether a model can call the node, or a root that it serves; what is unknown may be."""
    seen: set[str] = set()
    stack = [bound.node.name]
    while stack:
        name = stack.pop()
        if name in seen:
            continue
        seen.add(name)
        ports = wiring.ports.get(name)
        if ports is None or ports.outputs is None or _TOOL in ports.outputs:
            return True
        if MAIN not in ports.outputs and name not in wiring.served:
            return True  # a sub-node that serves nobody never runs, which is said elsewhere
        stack.extend(edge.target for edge in wiring.served.get(name, ()))
    return False
