"""Hold a node's parameters against one type at one version, and count what does not fit."""

from __future__ import annotations

from collections import Counter

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.parameters import check_parameters
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

UNFIT = frozenset({"GB302", "GB303", "GB304", "GB305", "GB306", "GB307", "GB327"})
ABSENT = "GB301"


def faults_as(node: Node, tool: str, version: float, registry: Registry) -> Counter[str]:
    """What a type at a version drops, does not take or lacks of a node's parameters, by code."""
    spec = registry.spec(tool, version)
    if not isinstance(spec, NodeSpec):
        return Counter()
    bound = ResolvedNode(node, registry.tools[tool], version, spec)
    alone = ResolvedGraph(Graph({}, (node,), ()), (bound,), {node.name: bound})
    results = (
        check_parameter.code
        for check_parameter in check_parameters(alone, registry, CompileOptions())
    )
    return Counter(code for code in results if code in UNFIT or code == ABSENT)
