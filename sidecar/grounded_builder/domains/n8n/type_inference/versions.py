"""Reports nodes whose parameters belong to another version of their type."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.parameters.findings import MISSING_PARAMETER
from grounded_builder.domains.n8n.type_inference.fit import count_faults
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

MISMATCHED_VERSION = Rule.advice(
    "N8N343",
    "mismatched-version",
    "UnsupportedVersion",
    "The parameters belong to another version.",
)

_MAX_CHECKED = 200


def check_versions(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports nodes that lack required parameters and have some that only another version knows."""
    del options
    left = _MAX_CHECKED
    for bound in resolved.nodes:
        if left and isinstance(bound.spec, NodeSpec) and not bound.node.disabled:
            given = _unknown_parameters(bound, bound.spec)
            if given and len(registry.tool(bound.spec.id)["variants"]) > 1:
                left -= 1
                yield from _check_other_versions(bound, bound.spec, given, registry)


def _unknown_parameters(bound: ResolvedNode, spec: NodeSpec) -> list[str]:
    known = spec.declarations.root.by_name
    return [name for name in bound.node.params if name not in known]


def _check_other_versions(
    bound: ResolvedNode, spec: NodeSpec, given: list[str], registry: Registry
) -> Iterator[Diagnostic]:
    """Reports a version that knows a given parameter, lacks nothing and has no additional fault."""
    node, own = bound.node, spec.version
    own_faults = count_faults(node, spec.id, own, registry)
    if not own_faults[MISSING_PARAMETER]:
        return
    better: list[tuple[int, float, float]] = []
    for variant in registry.tool(spec.id)["variants"]:
        names = {parameter["name"] for parameter in variant["parameters"]}
        if names.isdisjoint(given) or own in variant["versions"]:
            continue
        version = min(variant["versions"], key=lambda item: abs(item - own))
        faults = count_faults(node, spec.id, version, registry)
        if not faults[MISSING_PARAMETER] and faults < own_faults:
            better.append((faults.total(), abs(version - own), version))
    if not better:
        return
    version = min(better)[2]
    text = ", ".join(given[:6])
    at = (*node.at, "typeVersion")
    yield new_diagnostic(
        MISMATCHED_VERSION,
        at,
        f'"{node.name}" lacks required parameters of {spec.id} {own:g}, but sets {text} '
        f"of version {version:g}",
        help=f"write version {version:g}, or the parameters of version {own:g}",
        node=node.name,
        token=f"{own:g}",
        alternatives=(f"{version:g}",),
        fix=Fix(
            version > own,
            (Edit("set", at, int(version) if version == int(version) else version),),
            f'"{node.name}" is written for version {version:g} of {spec.id}',
        ),
    )
