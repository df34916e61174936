"""Checks the dependencies of calls: declared ones and those that references imply."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.dependencies import check_order
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan, Source, Step
from grounded_builder.routing.references import find_references


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds calls that depend on themselves, on unknown or later calls, or on each other."""
    del registry, options
    ids = [node.name for node in resolved.graph.nodes]
    steps = []
    for node in resolved.graph.nodes:
        edges = (edge for edge in resolved.graph.edges if edge.at[:2] == node.at)
        declared = [Source(edge.source, edge.at) for edge in edges]
        declared_names = {source.name for source in declared}
        implied = {
            reference.step: Source(reference.step, (*node.at, "arguments", *route))
            for route, reference in find_references(node.params, ids)
            if reference.step not in declared_names
        }
        inputs = (*declared, *implied.values())
        steps.append(Step(node.name, node.at, node.tool, (*node.at, "tool"), inputs=inputs))
    yield from check_order(Plan("", tuple(steps)), forward_is_wrong=True)
