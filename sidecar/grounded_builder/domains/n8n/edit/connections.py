"""Adds and cuts edges; removes a node with its own sub-nodes, and joins its neighbours."""

from __future__ import annotations

from grounded_builder.diagnostics import Route, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.nodes_in_request import find_node
from grounded_builder.domains.n8n.lower.output_names import find_output
from grounded_builder.domains.n8n.lower.wiring import UNKNOWN_OUTPUT
from grounded_builder.ir.edit_operations import Connect, Position, Remove
from grounded_builder.ir.graph import Edge
from grounded_builder.ir.rules.order import MISSING_DEPENDENCY


def connect(change: Connect, canvas: Canvas) -> None:
    """Adds an edge, or removes all edges from one node to another."""
    source = find_node(change.source, change.at, canvas)
    target = find_node(change.target, change.at, canvas)
    if source is None or target is None:
        return
    if change.cut:
        _cut(change, source, target, canvas)
        return
    kind = change.role or _kind(canvas, source, target)
    output, input_ = 0, 0
    if kind == MAIN:
        asked = output_of(canvas, source, change.output, change.at)
        if asked is None:
            return
        output = asked
        input_ = _index(change.input, (canvas.ports(target).inputs or {}).get(MAIN, ())) or 0
    canvas.link(source, target, output, input_, kind)
    canvas.notes.append(f'"{source}" leads to "{target}"')


def remove(change: Remove, canvas: Canvas) -> None:
    """Removes a node and the sub-nodes that serve only it, and joins its neighbours."""
    name = find_node(change.node, change.at, canvas)
    if name is None:
        return
    for edge in canvas.edges_to(name):
        serves_more = any(item.target != name for item in canvas.edges_from(edge.source))
        if edge.source_kind != MAIN and not serves_more and edge.source != name:
            remove(Remove(edge.source, change.at, join=False), canvas)
    entering = [edge for edge in canvas.edges_to(name, MAIN) if edge.source != name]
    leaving = [edge for edge in canvas.edges_from(name, MAIN) if edge.target != name]
    outputs = {edge.source_index for edge in leaving}
    canvas.remove(name)
    canvas.notes.append(f'"{name}": removed')
    if not change.join or not entering or not leaving:
        return
    if len(outputs) > 1:
        # The removed branch does not determine which of its branches continues.
        canvas.notes.append(f'"{name}" had several outputs in use: what followed it is not joined')
        return
    for before in entering:
        for behind in leaving:
            canvas.link(before.source, behind.target, before.source_index, behind.target_index)


def output_of(canvas: Canvas, name: str, asked: str | int | None, at: Route) -> int | None:
    """Returns the index of an output given by number or name, the first by default; None with a
    diagnostic.
    """
    ports = (canvas.ports(name).outputs or {}).get(MAIN, ())
    index = _index(asked, ports)
    if index is None:
        names = [port.name or str(number) for number, port in enumerate(ports)]
        canvas.diagnostics.append(
            new_diagnostic(
                UNKNOWN_OUTPUT,
                at,
                f'"{name}" has no output "{asked}"',
                help=f"its outputs: {', '.join(names) or 'none known'}",
                node=name,
                token=str(asked),
                alternatives=names,
            )
        )
    return index


def servable(canvas: Canvas, host: str, kind: str | None) -> str | None:
    """Returns the node that a sub-node of a kind can be attached to; None when there is none."""
    inputs = canvas.ports(host).inputs
    return host if kind is not None and (inputs is None or kind in inputs) else None


def _cut(change: Connect, source: str, target: str, canvas: Canvas) -> None:
    hint = "name two nodes that are connected"
    edges = edges_between(canvas, (source, target), change, change.role, hint)
    if edges:
        canvas.unlink(edges)
        canvas.notes.append(f'"{source}" leads to "{target}" no more')


def edges_between(
    canvas: Canvas, ends: tuple[str, str], spot: Connect | Position, role: str | None, hint: str
) -> list[Edge]:
    """Returns the edges between two nodes, by the given output; none is a finding."""
    source, target = ends
    edges = [edge for edge in canvas.edges_from(source, role) if edge.target == target]
    if spot.output is not None:
        output = output_of(canvas, source, spot.output, spot.at)
        edges = [edge for edge in edges if edge.source_index == output]
    if not edges:
        message = f'no edge leads from "{source}" to "{target}"'
        canvas.diagnostics.append(
            new_diagnostic(MISSING_DEPENDENCY, spot.at, message, help=hint, node=source)
        )
    return edges


def _kind(canvas: Canvas, source: str, target: str) -> str:
    """Returns the kind of an edge: main where the source has it, else the first common kind."""
    kinds = list(canvas.ports(source).outputs or {MAIN: ()})
    takes = canvas.ports(target).inputs
    if MAIN in kinds:
        return MAIN
    return next((kind for kind in kinds if takes is None or kind in takes), kinds[0])


def _index(asked: str | int | None, ports: tuple[Port, ...]) -> int | None:
    if asked is None:
        return 0
    if isinstance(asked, int):
        return asked if asked >= 0 else None
    index = find_output(asked, ports)
    return int(asked) if index is None and asked.isdecimal() else index
