"""Reports edges that connect the same two ports more than once."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Fix, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.check.connections.edge_edits import replace_edges
from grounded_builder.ir.graph import Edge, ResolvedGraph

DUPLICATE_EDGE = Rule.advice(
    "GB319", "duplicate-edge", "InvalidConnection", "Two edges connect the same ports."
)

_Key = tuple[str, str, int, str, str, int]


def check_duplicate_edges(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports repeated edges; n8n runs the target of a data edge once for each."""
    edges = resolved.graph.edges
    first: dict[_Key, Edge] = {}
    again: dict[_Key, list[Edge]] = {}
    for edge in edges:
        key = (
            edge.source,
            edge.source_kind,
            edge.source_index,
            edge.target,
            edge.target_kind,
            edge.target_index,
        )
        if first.setdefault(key, edge) is not edge:
            again.setdefault(key, []).append(edge)
    for key, repetitions in again.items():
        edge, result = repetitions[0], first[key]
        times = len(repetitions) + 1
        effect = f': "{edge.target}" runs {times} times' if edge.source_kind == MAIN else ""
        yield new_diagnostic(
            DUPLICATE_EDGE,
            edge.at,
            f'{times} edges connect the same ports of "{edge.source}" and "{edge.target}"{effect}',
            help="keep one of these edges",
            node=edge.source,
            token=edge.target,
            related=(Related(result.at, "the first of them"),),
            fix=Fix(
                True,
                replace_edges(resolved.graph, repetitions),
                f'one edge connects "{edge.source}" to "{edge.target}"',
            ),
        )
