"""Both ends of every edge, and every required input."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, found
from grounded_builder.domains.n8n.inputs import check_inputs
from grounded_builder.domains.n8n.missing_port import missing_port
from grounded_builder.domains.n8n.ports import MAIN, UNKNOWN, Port, Ports, ports_of
from grounded_builder.domains.n8n.spelling import Names
from grounded_builder.domains.n8n.workflow import base_route
from grounded_builder.graph import Bound, Edge, Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Find edges that n8n refuses, drops or fails on, and required inputs without an edge."""
    del registry, setting
    ports = {name: _ports(bound) for name, bound in resolved.by_name.items()}
    names = Names(resolved.by_name)
    yield from _absent_sources(resolved, names)
    arriving: dict[str, list[Edge]] = defaultdict(list)
    # Inputs, by node and kind, that a faulty edge was meant for: nothing more is said of them.
    meant: set[tuple[str, str]] = set()
    for edge in resolved.graph.edges:
        arriving[edge.target].append(edge)
        source, target = resolved.by_name.get(edge.source), resolved.by_name.get(edge.target)
        if target is None:
            yield _absent_target(edge, resolved, names)
        if source is not None and target is not None:
            yield from _ends(edge, source, target, ports, meant)
    leaving = {edge.source for edge in resolved.graph.edges}
    for bound in resolved.by_name.values():
        name = bound.node.name
        # n8n never runs a node without any edge, and publishes a workflow that has one.
        if not bound.node.disabled and (name in arriving or name in leaving):
            inputs = {
                kind: side
                for kind, side in (ports[name].inputs or {}).items()
                if kind != MAIN and (name, kind) not in meant
            }
            yield from check_inputs(bound, inputs, arriving.get(name, ()), resolved)


def _ports(bound: Bound) -> Ports:
    """Nothing is said about the ports of a disabled node: data passes it by."""
    return UNKNOWN if bound.node.disabled else ports_of(bound)


def _absent_sources(resolved: Resolved, names: Names) -> Iterator[Diagnostic]:
    connections = resolved.graph.document.get("connections")
    if not isinstance(connections, dict):
        return
    leaving = {edge.source for edge in resolved.graph.edges}
    at = (*base_route(resolved.graph), "connections")
    for name in connections:
        if name in resolved.by_name:
            continue
        meant = names.respelled(name)
        fix = None
        if name not in leaving:
            edit = Edit("remove", (*at, name))
            fix = Fix(True, (edit,), f'"{name}" is no node and its entry connects nothing')
        elif meant is not None and meant not in connections:
            edit = Edit("rename", (*at, name), meant)
            fix = Fix(True, (edit,), f'"{name}" is the node "{meant}"')
        yield found(
            "GB313",
            (*at, name),
            f'connections start at "{name}", which is no node of the workflow',
            help="add the node, correct the name, or take the entry out",
            token=name,
            alternatives=(meant,) if meant else names.near(name),
            fix=fix,
        )


def _absent_target(edge: Edge, resolved: Resolved, names: Names) -> Diagnostic:
    meant = names.respelled(edge.target)
    at = (*edge.at, "node")
    reason = f'"{edge.target}" is the node "{meant}"'
    return found(
        "GB313",
        at,
        f'"{edge.source}" connects to "{edge.target}", which is no node of the workflow',
        help="add the node, correct the name, or take the connection out",
        node=edge.source if edge.source in resolved.by_name else None,
        token=edge.target,
        alternatives=(meant,) if meant else names.near(edge.target),
        fix=Fix(True, (Edit("set", at, meant),), reason) if meant else None,
    )


def _ends(
    edge: Edge,
    source: Bound,
    target: Bound,
    ports: Mapping[str, Ports],
    meant: set[tuple[str, str]],
) -> Iterator[Diagnostic]:
    outputs, inputs = ports[edge.source].outputs, ports[edge.target].inputs
    kind = edge.source_kind
    if kind != edge.target_kind:
        meant.update({(edge.target, kind), (edge.target, edge.target_kind)})
        yield _mismatched(edge, outputs, inputs)
    elif leaving := missing_port(edge, source, outputs, edge.source_index, is_source=True):
        meant.update({(edge.target, kind), (edge.source, kind)})
        meant.update((edge.target, given) for given in outputs or ())
        yield _reversed(edge, ports) or _sub_node_on_main(edge, outputs, inputs) or leaving
    elif arriving := missing_port(edge, target, inputs, edge.target_index, is_source=False):
        meant.add((edge.target, kind))
        yield arriving
    else:
        yield from _partners(edge, source, target, outputs, inputs)


def _mismatched(
    edge: Edge,
    outputs: Mapping[str, tuple[Port, ...]] | None,
    inputs: Mapping[str, tuple[Port, ...]] | None,
) -> Diagnostic:
    at = (*edge.at, "type")
    leaves = outputs is not None and edge.source_kind in outputs
    arrives = inputs is not None and edge.source_kind in inputs
    fix = None
    if leaves and arrives:
        reason = f"an edge that leaves as {edge.source_kind} arrives as {edge.source_kind}"
        fix = Fix(True, (Edit("set", at, edge.source_kind),), reason)
    return found(
        "GB315",
        at,
        f'the edge from "{edge.source}" to "{edge.target}" leaves as {edge.source_kind} '
        f"and arrives as {edge.target_kind}",
        help="write the same kind on both ends",
        node=edge.target,
        token=edge.target_kind,
        alternatives=(edge.source_kind,),
        fix=fix,
    )


def _reversed(edge: Edge, ports: Mapping[str, Ports]) -> Diagnostic | None:
    """The edge of a sub-node drawn from its root: n8n wants the sub-node as the source."""
    kind = edge.source_kind
    gives, takes = ports[edge.target].outputs, ports[edge.source].inputs
    if kind == MAIN or gives is None or takes is None or kind not in gives or kind not in takes:
        return None
    return found(
        "GB314",
        edge.at,
        f'the {kind} edge from "{edge.source}" to "{edge.target}" is drawn backwards',
        help=f'the sub-node is the source: connect "{edge.target}" to "{edge.source}" as {kind}',
        node=edge.source,
        token=kind,
    )


def _sub_node_on_main(
    edge: Edge,
    outputs: Mapping[str, tuple[Port, ...]] | None,
    inputs: Mapping[str, tuple[Port, ...]] | None,
) -> Diagnostic | None:
    """A sub-node connected by main; mended where only one kind fits both ends."""
    if edge.source_kind != MAIN or outputs is None or inputs is None or MAIN in outputs:
        return None
    shared = [kind for kind in outputs if kind in inputs]
    if not shared:
        return None
    kind = shared[0]
    source_at = edge.at[:-3]
    fix = None
    if len(outputs) == 1:
        moved = (*source_at, kind, *edge.at[-2:], "type")
        edits = (Edit("rename", (*source_at, MAIN), kind), Edit("set", moved, kind))
        fix = Fix(True, edits, f'"{edge.source}" is a sub-node: it connects as {kind}')
    return found(
        "GB314",
        edge.at,
        f'"{edge.source}" is a sub-node without a main output, yet connects as main',
        help=f'connect it to "{edge.target}" as {kind}',
        node=edge.source,
        token=MAIN,
        alternatives=shared,
        fix=fix,
    )


def _partners(
    edge: Edge,
    source: Bound,
    target: Bound,
    outputs: Mapping[str, tuple[Port, ...]] | None,
    inputs: Mapping[str, tuple[Port, ...]] | None,
) -> Iterator[Diagnostic]:
    if source.tool is None or target.tool is None:
        return
    kind = edge.source_kind
    if inputs is not None and not _takes(inputs[kind][edge.target_index], source.tool.id):
        yield _refused(edge, target, source, inputs[kind][edge.target_index], "input")
    elif outputs is not None and not _takes(outputs[kind][edge.source_index], target.tool.id):
        yield _refused(edge, source, target, outputs[kind][edge.source_index], "output")


def _takes(port: Port, tool: str) -> bool:
    return tool not in port.refuses and (not port.accepts or tool in port.accepts)


def _refused(edge: Edge, owner: Bound, partner: Bound, port: Port, direction: str) -> Diagnostic:
    accepted = ", ".join(port.accepts[:8])
    return found(
        "GB318",
        edge.at,
        f'the {edge.source_kind} {direction} of "{owner.node.name}" does not take '
        f'"{partner.node.name}" ({partner.node.tool})',
        help=f"it takes {accepted}" if accepted else "connect a tool of another type",
        node=owner.node.name,
        token=partner.node.tool,
        alternatives=port.accepts,
    )
