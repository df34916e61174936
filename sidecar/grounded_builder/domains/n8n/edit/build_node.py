"""A drafted step as a node: its tool chosen in the light of the workflow, its parameters fitted."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.compiler.resolve_plan import resolve_steps
from grounded_builder.domains.n8n.build.artifact import node_id
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.select_tool import tool_of
from grounded_builder.domains.n8n.lower.node_names import node_names
from grounded_builder.domains.n8n.lower.parameters import fit
from grounded_builder.domains.n8n.lower.references import rewritten
from grounded_builder.ir.edit_operations import Position
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan, Source, Step

_STARTING = ("beside", "alone")


@dataclass(frozen=True, slots=True)
class Drafted:
    """A node that is not on the canvas yet, and what its tool is."""

    choice: StepResolution
    node: dict[str, Any]

    @property
    def name(self) -> str:
        """The node's name."""
        return str(self.node["name"])


def chosen(step: Step, spot: Position | None, canvas: Canvas) -> StepResolution | None:
    """Returns the tool of a step; None, with the reason said, when it names none that
    can be used.
    """
    ground = canvas.ground
    fed = spot is not None and spot.relation not in (*_STARTING, "for")
    placed = replace(step, inputs=(Source("before", step.at),) if fed else step.inputs)
    if spot is not None and spot.relation == "for":
        placed = replace(placed, parent=spot.nodes[0])
    plan = Plan("", (placed,))
    choices, result = resolve_steps(plan, ground.domain, ground.registry, ground.setting)
    if choices[0].tool is None and step.tool is not None:
        starting = spot is None or spot.relation in _STARTING
        tool_row = tool_of(step.tool, "trigger" if starting else "step", ground)
        if tool_row is not None:
            plan = Plan("", (replace(placed, tool=tool_row.id),))
            choices, result = resolve_steps(plan, ground.domain, ground.registry, ground.setting)
    canvas.said += result
    return choices[0] if choices[0].tool is not None else None


def drafted(choice: StepResolution, canvas: Canvas) -> Drafted:
    """Returns the node of a step whose tool is chosen."""
    name = canvas.unused(node_names((choice,))[choice.step.id])
    node: dict[str, Any] = {
        "parameters": fitted(choice, choice.preset, name, canvas),
        "id": _unused_id(choice.step.id, canvas),
        "name": name,
        "type": choice.tool.id if choice.tool is not None else "",
        "typeVersion": whole(choice.version),
        "position": [0, 0],
    }
    _share_login(node, canvas)
    if choice.step.remarks:
        node["notes"] = choice.step.remarks
    return Drafted(choice, node)


def fitted(
    choice: StepResolution, preset: Mapping[str, Any], name: str, canvas: Canvas
) -> dict[str, Any]:
    """Returns the parameters of a step, its references led to nodes; what has no place is said."""
    step = choice.step
    fitting = fit(choice.spec, preset, step.params, step.params_at, name)
    canvas.said += fitting.diagnostics
    spoken = {item: node for item, node in canvas.steps.items() if item != node}
    parameters: dict[str, Any] = rewritten(fitting.parameters, spoken)
    return parameters


def _share_login(node: dict[str, Any], canvas: Canvas) -> None:
    """Returns a node logs in as the others of its tool do, where all of them do it alike."""
    peers = [
        resolved_node.node
        for resolved_node in canvas.resolved.nodes
        if resolved_node.node.tool == node["type"]
    ]
    held = [peer.source.get("credentials") for peer in peers]
    ways = [peer.params.get("authentication") for peer in peers]
    if not held or not isinstance(held[0], dict) or not held[0]:
        return
    if any(item != held[0] for item in held) or any(way != ways[0] for way in ways):
        return
    value = node["parameters"].get("authentication", ways[0])
    if value == ways[0]:
        node["credentials"] = deepcopy(held[0])
        if ways[0] is not None:
            node["parameters"]["authentication"] = ways[0]


def whole(version: float | None) -> float | None:
    """Returns a version as n8n writes it."""
    return int(version) if version is not None and version == int(version) else version


def _unused_id(step: str, canvas: Canvas) -> str:
    """Returns an id that is the same for the same change of the same workflow, and no
    node's yet.
    """
    taken = {node.source.get("id") for node in canvas.graph.nodes}
    seed = f"{canvas.ground.setting.seed}\nedit\n{canvas.workflow.get('id', '')}"
    number = 0
    while (identity := node_id(seed, f"{step}\n{number}" if number else step)) in taken:
        number += 1
    return identity
