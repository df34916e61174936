"""Chooses the tool of a drafted step, and makes its node with fitted parameters and settings."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.compiler.resolve_plan import resolve_steps
from grounded_builder.domains.n8n.build.artifact import node_id
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.select_tool import tool_of
from grounded_builder.domains.n8n.lower.fit_step import fit_step
from grounded_builder.domains.n8n.lower.generate_node_names import node_names
from grounded_builder.domains.n8n.lower.lower import version_number
from grounded_builder.domains.n8n.lower.node_settings import separate_settings
from grounded_builder.domains.n8n.lower.references import rewrite_references
from grounded_builder.ir.edit_operations import Position
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan, Source, Step

_STARTING = ("beside", "alone")


@dataclass(frozen=True, slots=True)
class Drafted:
    """A node that is not in the workflow yet, and its tool."""

    choice: StepResolution
    node: dict[str, Any]

    @property
    def name(self) -> str:
        """The node's name."""
        return str(self.node["name"])


def choose_tool(step: Step, spot: Position | None, canvas: Canvas) -> StepResolution | None:
    """Returns the tool of a step; None, with a diagnostic, when no usable tool is named."""
    ground = canvas.ground
    fed = spot is not None and spot.relation not in (*_STARTING, "for")
    placed = replace(step, inputs=(Source("before", step.at),) if fed else step.inputs)
    if spot is not None and spot.relation == "for":
        placed = replace(placed, parents=spot.nodes[:1])
    plan = Plan("", (placed,))
    choices, result = resolve_steps(plan, ground.domain, ground.registry, ground.options)
    if choices[0].tool is None and step.tool is not None:
        starting = spot is None or spot.relation in _STARTING
        tool_row = tool_of(step.tool, "trigger" if starting else "step", ground)
        if tool_row is not None:
            plan = Plan("", (replace(placed, tool=tool_row.id),))
            choices, result = resolve_steps(plan, ground.domain, ground.registry, ground.options)
    canvas.diagnostics += result
    return choices[0] if choices[0].tool is not None else None


def make_node(choice: StepResolution, canvas: Canvas) -> Drafted:
    """Returns the node of a step whose tool is selected."""
    choice = with_settings(choice, canvas)
    name = canvas.unused_name(node_names((choice,), canvas.ground.registry)[choice.step.id])
    node: dict[str, Any] = {
        "parameters": fit_parameters(choice, choice.preset, name, canvas),
        "id": _unused_id(choice.step.id, canvas),
        "name": name,
        "type": choice.tool.id if choice.tool is not None else "",
        "typeVersion": version_number(choice.version),
        "position": [0, 0],
    }
    _share_login(node, canvas)
    node |= {key: setting.value for key, setting in choice.step.settings.items()}
    if choice.step.remarks:
        node["notes"] = choice.step.remarks
    return Drafted(choice, node)


def with_settings(choice: StepResolution, canvas: Canvas) -> StepResolution:
    """Returns a step with its settings in n8n's words; departures are reported."""
    (separated,), _, diagnostics = separate_settings((choice,))
    canvas.diagnostics += diagnostics
    return separated


def fit_parameters(
    choice: StepResolution, preset: Mapping[str, Any], name: str, canvas: Canvas
) -> dict[str, Any]:
    """Returns the parameters of a step with references to nodes; values without a place are
    reported.
    """
    fitting = fit_step(replace(choice, preset=preset), name, canvas.ground.registry)
    canvas.diagnostics += fitting.diagnostics
    node_names = {item: node for item, node in canvas.steps.items() if item != node}
    parameters: dict[str, Any] = rewrite_references(fitting.parameters, node_names)
    return parameters


def _share_login(node: dict[str, Any], canvas: Canvas) -> None:
    """Copies the credentials of the other nodes of its tool, where all of them agree."""
    peers = [
        resolved_node.node
        for resolved_node in canvas.resolve.nodes
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


def _unused_id(step: str, canvas: Canvas) -> str:
    """Returns an unused id that is the same for the same edit of the same workflow."""
    taken = {node.source.get("id") for node in canvas.graph.nodes}
    seed = f"{canvas.ground.options.seed}\nedit\n{canvas.workflow.get('id', '')}"
    number = 0
    while (identity := node_id(seed, f"{step}\n{number}" if number else step)) in taken:
        number += 1
    return identity
