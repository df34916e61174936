"""Reports `$fromAI` values in nodes that no model calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals
from grounded_builder.domains.n8n.expressions.split_code import split
from grounded_builder.domains.n8n.expressions.texts import Text, collect_texts
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

MISPLACED_FROM_AI = Rule.wrong(
    "N8N320", "misplaced-from-ai", "ExpressionError", "No model supplies this $fromAI value."
)

_TOOL = "ai_tool"
# n8n-workflow from-ai-parse-utils finds the call by this pattern, in any case.
_CALL = re.compile(r"\$fromAI\s*\(", re.IGNORECASE)


def check_from_ai(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports ``$fromAI`` in a node that is no tool and serves none.

    There n8n reads the name from the incoming item instead (workflow-data-proxy, handleFromAi).
    """
    for bound in resolved.nodes:
        if bound.spec is None or bound.node.disabled:
            continue
        for text in collect_texts(bound):
            if (
                "$from" in text.value
                and any(_CALL.search(code) for code in _code_parts(text))
                and not _may_be_called(bound, wiring)
            ):
                yield _report_call(bound, text.at)


def _code_parts(text: Text) -> list[str]:
    """Returns the code in a text without comments and strings, which can quote a call."""
    if text.use == "code":
        return [mask_literals(text.value)]
    if text.use == "expression":
        return [mask_literals(piece.code) for piece in split(text.value[1:])]
    return []


def _report_call(bound: ResolvedNode, at: Route) -> Diagnostic:
    name = bound.node.name
    return new_diagnostic(
        MISPLACED_FROM_AI,
        at,
        f'"{name}" is not a tool: no model supplies its $fromAI value',
        help=f'connect a tool variant of the node to an agent, or let "{name}" read the value '
        "from its input, such as {{ $json.field }}",
        node=name,
        token="$fromAI",  # noqa: S106 - the user's text, no secret
    )


def _may_be_called(bound: ResolvedNode, wiring: Wiring) -> bool:
    """Returns whether a model can call the node or a root node that it serves.

    Nodes with unknown ports count as callable.
    """
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
            return True  # another rule reports a sub-node without a root
        stack.extend(edge.target for edge in wiring.served.get(name, ()))
    return False
