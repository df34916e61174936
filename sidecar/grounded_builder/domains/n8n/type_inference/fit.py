"""Counts the faults of a node's parameters with a given type and version."""

from __future__ import annotations

from collections import Counter

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Rule
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.domains.n8n.parameters.findings import (
    FIXED_VALUE,
    HIDDEN_PARAMETER,
    MISSING_PARAMETER,
)
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.parameters import (
    MISNAMED_PARAMETER,
    OUT_OF_RANGE,
    TYPE_MISMATCH,
    UNKNOWN_OPTION,
    UNKNOWN_PARAMETER,
)

_FAULT_RULES = frozenset(
    {
        MISNAMED_PARAMETER,
        UNKNOWN_PARAMETER,
        TYPE_MISMATCH,
        UNKNOWN_OPTION,
        HIDDEN_PARAMETER,
        OUT_OF_RANGE,
        FIXED_VALUE,
    }
)


def count_faults(node: Node, tool: str, version: float, registry: Registry) -> Counter[Rule]:
    """Returns the faults of a node's parameters with a type at a version, counted by rule."""
    spec = registry.spec(tool, version)
    if not isinstance(spec, NodeSpec):
        return Counter()
    bound = ResolvedNode(node, registry.tools[tool], version, spec)
    alone = ResolvedGraph(Graph({}, (node,), ()), (bound,), {node.name: bound})
    rules = (finding.rule for finding in check_parameters(alone, registry, CompileOptions()))
    return Counter(rule for rule in rules if rule in _FAULT_RULES or rule == MISSING_PARAMETER)
