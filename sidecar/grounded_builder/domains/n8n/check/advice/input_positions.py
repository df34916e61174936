"""Warns of scripts that find items of an earlier node by a position in their own input."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.main_edges import MainEdges
from grounded_builder.domains.n8n.javascript.code_filter import parser_isolate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError
from grounded_builder.ir.graph import ResolvedNode

# Of n8n-core 2.41: addPairedItemLineage gives every input item its position in the input as its
# pairedItem, before the node runs.
OVERWRITTEN_POSITION = Rule.advice(
    "N8N362",
    "overwritten-position",
    "SuboptimalTool",
    "A script takes an item of an earlier node by a position in its own input.",
)

_BASE = "n8n-nodes-base."
# Nodes that give one item for each of their input, in order. Source: their code in n8n-nodes-base.
_ONE_TO_ONE = frozenset(_BASE + name for name in ("set", "noOp", "wait", "dateTime", "renameKeys"))
_LONGEST = 20_000
_TIME_LIMIT_S = 1.0


def advise(flow: MainEdges) -> Iterator[Diagnostic]:
    """Reports scripts that read ``pairedItem`` of input items to find items of a distant node."""
    for bound in flow.resolved.nodes:
        code = _code_of(bound)
        for name in _listed_nodes(code) if code else ():
            if name in flow.resolved.by_name and not _has_same_positions(bound, name, flow):
                yield _report_position(bound, name)
                break


def _code_of(bound: ResolvedNode) -> str:
    """Returns the script of a Code node that may read ``pairedItem`` and other nodes, else ""."""
    params = bound.node.params
    if bound.node.tool != f"{_BASE}code" or bound.spec is None or bound.node.disabled:
        return ""
    code = params.get("jsCode")
    if not isinstance(code, str) or params.get("language") not in (None, "javaScript"):
        return ""
    is_likely = "pairedItem" in code and "$" in code and len(code) <= _LONGEST
    return code if is_likely else ""


@lru_cache(512)
def _listed_nodes(code: str) -> tuple[str, ...]:
    try:
        return tuple(parser_isolate().ask("positions", code, _TIME_LIMIT_S))
    except UnknownAnswerError:
        return ()


def _has_same_positions(bound: ResolvedNode, name: str, flow: MainEdges) -> bool:
    """Returns whether the items of the input are those of another node, one for one."""
    current = bound.node.name
    for _ in flow.resolved.nodes:
        sources = {edge.source for edge in flow.before[current]}
        if len(sources) != 1:
            return False
        (current,) = sources
        if current == name:
            return True
        before = flow.resolved.by_name.get(current)
        if before is None or before.node.tool not in _ONE_TO_ONE:
            return False
    return False


def _report_position(bound: ResolvedNode, name: str) -> Diagnostic:
    return new_diagnostic(
        OVERWRITTEN_POSITION,
        (*bound.node.at, "parameters", "jsCode"),
        f'"{bound.node.name}" takes items of "{name}" by the pairedItem of its input items, which '
        "is their position in this input",
        help=f'write $("{name}").itemMatching(i) for item i of the input, or let the items keep '
        "the fields that are needed",
        node=bound.node.name,
    )
