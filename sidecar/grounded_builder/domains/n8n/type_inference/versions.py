"""Find nodes whose parameters are those of another version of their type."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.parameters.findings import MISSING_PARAMETER
from grounded_builder.domains.n8n.type_inference.fit import faults_as
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

MISMATCHED_VERSION = Rule.advice(
    "N8N343",
    "mismatched-version",
    "UnsupportedVersion",
    "The parameters belong to another version.",
)

_MOST = 200


def check_versions(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds nodes that lack what their version requires and give what only another one knows."""
    del setting
    left = _MOST
    for bound in resolved.nodes:
        if left and isinstance(bound.spec, NodeSpec) and not bound.node.disabled:
            given = _strange(bound, bound.spec)
            if given and len(registry.tool(bound.spec.id)["variants"]) > 1:
                left -= 1
                yield from _other_version(bound, bound.spec, given, registry)


def _strange(bound: ResolvedNode, spec: NodeSpec) -> list[str]:
    known = spec.declarations.root.by_name
    return [name for name in bound.node.params if name not in known]


def _other_version(
    bound: ResolvedNode, spec: NodeSpec, given: list[str], registry: Registry
) -> Iterator[Diagnostic]:
    """A version that knows a name given, lacks nothing and finds no fault that is not there now."""
    node, own = bound.node, spec.version
    now = faults_as(node, spec.id, own, registry)
    if not now[MISSING_PARAMETER]:
        return
    better: list[tuple[int, float, float]] = []
    for variant in registry.tool(spec.id)["variants"]:
        names = {parameter["name"] for parameter in variant["parameters"]}
        if names.isdisjoint(given) or own in variant["versions"]:
            continue
        version = min(variant["versions"], key=lambda item: abs(item - own))
        then = faults_as(node, spec.id, version, registry)
        if not then[MISSING_PARAMETER] and then < now:
            better.append((then.total(), abs(version - own), version))
    if not better:
        return
    version = min(better)[2]
    text = ", ".join(given[:6])
    at = (*node.at, "typeVersion")
    yield new_diagnostic(
        MISMATCHED_VERSION,
        at,
        f'{spec.id} {own:g} lacks what it requires, while what "{node.name}" sets ({text}) '
        f"is of version {version:g}",
        help=f"write version {version:g}, or the parameters of {own:g}",
        node=node.name,
        token=f"{own:g}",
        alternatives=(f"{version:g}",),
        fix=Fix(
            True,
            (Edit("set", at, int(version) if version == int(version) else version),),
            f'"{node.name}" is written for version {version:g} of {spec.id}',
        ),
    )
