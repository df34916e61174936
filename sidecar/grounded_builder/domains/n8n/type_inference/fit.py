"""Hold a node's parameters against one type at one version, and count what does not fit."""

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

_UNFIT = frozenset(
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


def faults_as(node: Node, tool: str, version: float, registry: Registry) -> Counter[Rule]:
    """What a type at a version drops, does not take or lacks of a node's parameters, by rule."""
    spec = registry.spec(tool, version)
    if not isinstance(spec, NodeSpec):
        return Counter()
    bound = ResolvedNode(node, registry.tools[tool], version, spec)
    alone = ResolvedGraph(Graph({}, (node,), ()), (bound,), {node.name: bound})
    results = (finding.rule for finding in check_parameters(alone, registry, CompileOptions()))
    return Counter(rule for rule in results if rule in _UNFIT or rule == MISSING_PARAMETER)
