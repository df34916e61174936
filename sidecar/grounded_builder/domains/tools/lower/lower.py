"""Lowers a plan into a list of tool calls: one for each step, in the order of the plan."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Route
from grounded_builder.ir.lowering import Lowered, ResolvedPlan, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan

_MOST_ROUTES = 20_000


def lower(
    plan: Plan, choices: tuple[StepResolution, ...], registry: Registry, options: CompileOptions
) -> Lowered:
    """Returns one call for each step, in the order of the plan; unresolved steps have no tool."""
    del registry, options
    calls: list[dict[str, Any]] = []
    origin: dict[Route, Route] = {}
    connections: list[dict[str, str]] = []
    for index, choice in enumerate(choices):
        step, at = choice.step, ("calls", index)
        sources = step.inputs or ()
        names = [plan.id_of(source.name) for source in sources]
        calls.append(
            {
                "id": step.id,
                "tool": choice.tool.id if choice.tool is not None else "",
                "arguments": dict(step.params),
                "depends_on": names,
            }
        )
        origin[at] = step.at
        origin[(*at, "tool")] = step.tool_at
        origin[(*at, "arguments")] = step.params_at if step.params else step.at
        for number, source in enumerate(sources):
            origin[(*at, "depends_on", number)] = source.at
        _map_routes(step.params, (*at, "arguments"), step.params_at, origin)
        for key, place in step.param_places.items():
            origin[(*at, "arguments", key)] = place
        connections += [{"from": f"{name}:result:0", "to": f"{step.id}:after:0"} for name in names]
    nodes = tuple(
        {
            "id": choice.step.id,
            "tool_id": choice.tool.id if choice.tool is not None else None,
            "params": dict(choice.step.params),
        }
        for choice in choices
    )
    order = [choice.step.id for choice in choices]
    resolved = ResolvedPlan(nodes, tuple(connections), {"order": order, "groups": {}})
    return Lowered({"calls": calls}, origin, (), resolved)


def _map_routes(value: Any, here: Route, there: Route, origin: dict[Route, Route]) -> None:
    """Maps every route inside arguments to the place where it was drafted."""
    stack: list[tuple[Route, Route, Any]] = [(here, there, value)]
    while stack and len(origin) < _MOST_ROUTES:
        near, far, container = stack.pop()
        children = container.items() if isinstance(container, dict) else enumerate(container)
        for key, child in children:
            origin[(*near, key)] = (*far, key)
            if isinstance(child, dict | list):
                stack.append(((*near, key), (*far, key), child))
