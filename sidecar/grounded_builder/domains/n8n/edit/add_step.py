"""Adds a step to a workflow (node, position, edges), and finds the nodes that start runs."""

from __future__ import annotations

from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, ports_of
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.edit import positions
from grounded_builder.domains.n8n.edit.build_node import Drafted, choose_tool, make_node
from grounded_builder.domains.n8n.edit.connections import edges_between, output_of, servable
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.nodes_in_request import find_node
from grounded_builder.domains.n8n.lower.agent_tools import (
    SERVING_KIND,
    report_tool,
    serve_as_tool,
)
from grounded_builder.domains.n8n.lower.wiring import STRAY_SUB_NODE
from grounded_builder.ir.edit_operations import Add, Position
from grounded_builder.ir.graph import Node, ResolvedNode
from grounded_builder.ir.plan import Step
from grounded_builder.ir.rules.reading import MALFORMED_STEP

FAILURE = "n8n-nodes-base.errorTrigger"
_ANY = "*"
_SPLITS = "continueErrorOutput"


def add(change: Add, canvas: Canvas) -> None:
    """Adds a step; where that is impossible it is reported, and nothing is added."""
    spot = change.spot
    if spot.relation == "on_error_of" and spot.nodes == (_ANY,):
        watched = _watch(change, canvas)
        if watched is None:
            return
        spot = Position("after", (watched,), spot.at)
    names = [find_node(text, spot.at, canvas) for text in spot.nodes]
    if any(name is None for name in names):
        return
    anchors = tuple(name for name in names if name is not None)
    if spot.relation == "between" and len(anchors) != 2:
        hint = 'write "between": ["node", "node"]'
        canvas.diagnostics.append(
            new_diagnostic(MALFORMED_STEP, spot.at, '"between" does not name two nodes', help=hint)
        )
        return
    choice = choose_tool(change.step, spot, canvas)
    if choice is None:
        return
    made = make_node(choice, canvas)
    if spot.relation == "for" and anchors:
        made = _as_tool(made, anchors[0], canvas)
    _wire(made, spot, anchors, canvas)
    canvas.steps[change.step.id] = made.name


def _as_tool(made: Drafted, host: str, canvas: Canvas) -> Drafted:
    """Returns a step as a tool of its host, where it cannot serve it otherwise."""
    choice = made.choice
    inputs = canvas.ports(host).inputs
    if inputs is None or _service(made) in inputs or SERVING_KIND not in inputs:
        return made
    node = Node(made.name, None, None, made.node["parameters"], (), made.node)
    bound = ResolvedNode(node, choice.tool, choice.version, choice.spec)
    serving = serve_as_tool(choice, bound, canvas.ground.registry)
    if serving is None:
        return made
    canvas.diagnostics.append(report_tool(choice, serving, host))
    return make_node(serving, canvas)


def _wire(made: Drafted, spot: Position, anchors: tuple[str, ...], canvas: Canvas) -> None:
    if not anchors:
        _put(made, positions.apart(canvas), canvas, "added")
        return
    first = anchors[0]
    kind = _service(made)
    if kind is not None or spot.relation == "for":
        _serve(made, kind, first, spot, canvas)
    elif spot.relation == "before":
        _before(made, first, canvas)
    elif spot.relation == "between":
        _between(made, first, anchors[1], spot, canvas)
    elif spot.relation == "on_error_of":
        _on_error(made, first, canvas)
    elif spot.relation == "beside":
        _beside(made, first, canvas)
    else:
        _after(made, first, spot, canvas)


def _after(made: Drafted, anchor: str, spot: Position, canvas: Canvas) -> None:
    output = output_of(canvas, anchor, spot.output, spot.at)
    if output is None:
        return
    followers = [edge for edge in canvas.edges_from(anchor, MAIN) if edge.source_index == output]
    _put(made, positions.after(canvas, anchor), canvas, f'added after "{anchor}"')
    canvas.link(anchor, made.name, output)
    if spot.inline and followers:
        canvas.unlink(followers)
        for edge in followers:
            canvas.link(made.name, edge.target, 0, edge.target_index)


def _before(made: Drafted, anchor: str, canvas: Canvas) -> None:
    entering = canvas.edges_to(anchor, MAIN)
    place = (
        positions.between(canvas, entering[0].source, anchor)
        if len(entering) == 1 and entering[0].source in canvas.resolve.by_name
        else positions.before(canvas, anchor)
    )
    first = min((edge.target_index for edge in entering), default=0)
    moved = [edge for edge in entering if edge.target_index == first]
    _put(made, place, canvas, f'added before "{anchor}"')
    canvas.unlink(moved)
    for edge in moved:
        canvas.link(edge.source, made.name, edge.source_index)
    canvas.link(made.name, anchor, 0, first)


def _between(made: Drafted, first: str, second: str, spot: Position, canvas: Canvas) -> None:
    hint = 'write "after" or "before" one of them, or connect them first'
    edges = edges_between(canvas, (first, second), spot, MAIN, hint)
    if not edges:
        return
    _put(made, positions.between(canvas, first, second), canvas, f'added behind "{first}"')
    canvas.unlink(edges)
    for edge in edges:
        canvas.link(first, made.name, edge.source_index)
        canvas.link(made.name, second, 0, edge.target_index)


def _on_error(made: Drafted, anchor: str, canvas: Canvas) -> None:
    """Connects the step to the anchor's error output, which is enabled if needed."""
    if canvas.resolved_node(anchor).node.source.get("onError") != _SPLITS:
        canvas.node(anchor)["onError"] = _SPLITS
        canvas.notes.append(f'"{anchor}": failures go to an error output')
    outputs = (canvas.ports(anchor).outputs or {}).get(MAIN, ())
    index = next((i for i, port in enumerate(outputs) if port.is_error), 1)
    _put(made, positions.after(canvas, anchor), canvas, f'added for failures of "{anchor}"')
    canvas.link(anchor, made.name, index)


def _beside(made: Drafted, anchor: str, canvas: Canvas) -> None:
    followed = canvas.edges_from(anchor, MAIN)
    _put(made, positions.below(canvas, anchor), canvas, f'added beside "{anchor}"')
    for edge in followed:
        canvas.link(made.name, edge.target, 0, edge.target_index)


def _serve(made: Drafted, kind: str | None, host: str, spot: Position, canvas: Canvas) -> None:
    """Connects a sub-node to the anchor, or to the node that the anchor serves."""
    taken = servable(canvas, host, kind)
    if taken is None or kind is None:
        message = f'"{made.name}" ({kind or "no sub-node"}) cannot serve "{host}"'
        hint = "name a node that has an input of its kind"
        canvas.diagnostics.append(
            new_diagnostic(STRAY_SUB_NODE, spot.at, message, help=hint, node=made.name)
        )
        return
    _put(made, positions.below(canvas, host), canvas, f'added for "{host}"')
    canvas.link(made.name, host, 0, 0, kind)


def _put(made: Drafted, place: positions.Place, canvas: Canvas, how: str) -> None:
    made.node["position"] = list(place)
    canvas.add(made.node)
    tool = made.choice.tool
    canvas.notes.append(f'"{made.name}" ({tool.name if tool else ""}): {how}')


def _service(made: Drafted) -> str | None:
    """Returns the kind by which a step serves another node; None for a step of the main line."""
    node = Node(made.name, None, None, made.node["parameters"], (), made.node)
    choice = made.choice
    kinds = ports_of(ResolvedNode(node, choice.tool, choice.version, choice.spec)).outputs
    found_kinds = [kind for kind in kinds or () if kind != MAIN]
    if choice.step.role in found_kinds:
        return choice.step.role
    return found_kinds[0] if found_kinds and MAIN not in (kinds or ()) else None


def _watch(change: Add, canvas: Canvas) -> str | None:
    """Returns the node that starts when a run fails, created if there is none.

    n8n uses a workflow with an Error Trigger as its own error workflow.
    """
    there = next((b.node.name for b in canvas.resolve.nodes if b.node.tool == FAILURE), None)
    if there is not None:
        return there
    step = Step(f"{change.step.id}_failure", change.at, tool=FAILURE, tool_at=change.spot.at)
    choice = choose_tool(step, None, canvas)
    if choice is None:
        return None
    made = make_node(choice, canvas)
    _put(made, positions.apart(canvas), canvas, "added, starts when a run fails")
    return made.name


def starts(canvas: Canvas) -> list[str]:
    """Returns the nodes at which a run can start."""
    return [
        bound.node.name
        for bound in canvas.resolve.nodes
        if bound.spec is not None and is_start(bound)
    ]
