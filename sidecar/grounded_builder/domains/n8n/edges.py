"""Both ends of every edge, and every required input."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, found
from grounded_builder.domains.n8n.ports import UNKNOWN, Port, Ports, opening, ports_of
from grounded_builder.domains.n8n.spelling import Names
from grounded_builder.domains.n8n.workflow import base_route
from grounded_builder.graph import Bound, Edge, Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting

MAIN = "main"

_LISTED = 12


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
            yield from _inputs(bound, inputs, arriving.get(name, ()), resolved)


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
    elif leaving := _end(edge, source, outputs, edge.source_index, is_source=True):
        meant.update({(edge.target, kind), (edge.source, kind)})
        meant.update((edge.target, given) for given in outputs or ())
        yield _reversed(edge, ports) or _sub_node_on_main(edge, outputs, inputs) or leaving
    elif arriving := _end(edge, target, inputs, edge.target_index, is_source=False):
        meant.add((edge.target, kind))
        yield arriving
    else:
        yield from _partners(edge, source, target, outputs, inputs)


def _end(
    edge: Edge,
    bound: Bound,
    side: Mapping[str, tuple[Port, ...]] | None,
    index: int,
    *,
    is_source: bool,
) -> Diagnostic | None:
    """One end on a port that the node lacks; nothing where its ports are unknown."""
    if side is None:
        return None
    kind = edge.source_kind
    ports = side.get(kind, ())
    if 0 <= index < len(ports):
        return None
    name, direction = bound.node.name, "output" if is_source else "input"
    if not side:
        has = f"no {direction}s at all"
    elif not ports:
        has = f"no {kind} {direction}, only {', '.join(side)}"
    else:
        has = f"{len(ports)} {kind} {direction}{'s' if len(ports) > 1 else ''}"
    at = edge.at[:-1] if is_source else (*edge.at, "index" if ports else "type")
    opener = opening(bound, "outputs" if is_source else "inputs", kind, index)
    return found(
        "GB314",
        at,
        f'the edge from "{edge.source}" to "{edge.target}" uses {kind} {direction} {index} '
        f'of "{name}", which has {has}',
        help=_port_help(bound, side, direction, opener),
        node=name,
        token=kind if not ports else str(index),
        alternatives=[str(number) for number in range(len(ports))] or list(side),
        fix=_opened(bound, opener) or _only_input(edge, at, ports, is_source),
    )


def _port_help(
    bound: Bound,
    side: Mapping[str, tuple[Port, ...]],
    direction: str,
    opener: tuple[str, Any] | None,
) -> str:
    if opener is not None:
        path, value = opener
        return f"it has this {direction} when {path} is {json.dumps(value, ensure_ascii=False)}"
    if side:
        listed = ", ".join(
            f"{kind} {number}" + (f" ({port.name})" if port.name else "")
            for kind, ports in side.items()
            for number, port in enumerate(ports[:_LISTED])
        )
        more = ""
        if direction == "output" and bound.node.source.get("onError") != "continueErrorOutput":
            more = '; "onError": "continueErrorOutput" adds one for failures'
        return f"its {direction}s, counted from 0: {listed}{more if MAIN in side else ''}"
    given = [] if bound.spec is None else list(bound.spec.traits.get("provides") or ())
    if direction == "input" and given:
        return f"it is a sub-node: let it be the source, as {', '.join(given)}"
    return f'take the edge out: "{bound.node.name}" has no {direction}s'


def _opened(bound: Bound, opener: tuple[str, Any] | None) -> Fix | None:
    """Set the parameter that opens the port; safe where the draft left it out."""
    if opener is None:
        return None
    path, value = opener
    keys = path.split(".")
    at: Route = (*bound.node.at, "parameters", *keys)
    reason = f'an edge of "{bound.node.name}" needs {path} = {json.dumps(value)}'
    return Fix(keys[0] not in bound.node.params, (Edit("set", at, value),), reason)


def _only_input(edge: Edge, at: Route, ports: tuple[Port, ...], is_source: bool) -> Fix | None:
    """An edge beyond the only main input can mean no other one."""
    if is_source or edge.source_kind != MAIN or len(ports) != 1:
        return None
    return Fix(True, (Edit("set", at, 0),), f'"{edge.target}" has one input, number 0')


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


def _inputs(
    bound: Bound,
    inputs: Mapping[str, tuple[Port, ...]],
    arriving: Sequence[Edge],
    resolved: Resolved,
) -> Iterator[Diagnostic]:
    """Required and crowded inputs of sub-nodes; n8n never asks for a main input."""
    for kind, ports in inputs.items():
        live = [e for e in arriving if e.target_kind == kind and _is_live(e, resolved)]
        connected = {edge.target_index for edge in live}
        for index, port in enumerate(ports):
            if port.required and index not in connected:
                yield _unconnected(bound, kind, index, port, arriving)
        # n8n adds the limits of all ports of a kind and counts the enabled sub-nodes.
        most = sum(port.max or 0 for port in ports)
        partners = {edge.source: edge for edge in live}
        if most and len(partners) > most:
            yield _crowded(bound, kind, most, partners)


def _is_live(edge: Edge, resolved: Resolved) -> bool:
    """Whether something may come over an edge; what is not known counts as something."""
    source = resolved.by_name.get(edge.source)
    return source is None or not source.node.disabled


def _unconnected(
    bound: Bound, kind: str, index: int, port: Port, arriving: Sequence[Edge]
) -> Diagnostic:
    called = f' "{port.name}"' if port.name else ""
    place = f" at index {index}" if index else ""
    article = "an" if kind[:1] in "aeiou" else "a"
    off = [f'"{e.source}"' for e in arriving if e.target_kind == kind and e.target_index == index]
    return found(
        "GB316",
        bound.node.at,
        f'"{bound.node.name}" needs a sub-node on its {kind} input{called}{place}, and none '
        "is connected and enabled",
        help=f"enable {', '.join(off)}"
        if off
        else f'connect a node with {article} {kind} output to "{bound.node.name}"',
        node=bound.node.name,
        token=kind,
        alternatives=port.accepts,
    )


def _crowded(bound: Bound, kind: str, most: int, partners: Mapping[str, Edge]) -> Diagnostic:
    names = ", ".join(f'"{name}"' for name in partners)
    return found(
        "GB317",
        list(partners.values())[most].at,
        f'the {kind} input of "{bound.node.name}" takes {most}, but {len(partners)} are '
        f"connected: {names}",
        help=f"keep {most} of them",
        node=bound.node.name,
        token=kind,
    )

