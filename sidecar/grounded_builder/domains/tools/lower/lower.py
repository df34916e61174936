"""Lower a plan into calls."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Route
from grounded_builder.ir.lowering import Lowered, ResolvedPlan, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan

_MOST_ROUTES = 20_000


def lower(
    plan: Plan, choices: tuple[StepResolution, ...], registry: Registry, setting: CompileOptions
) -> Lowered:
    """One call a step, in the order of the plan; holes stand in it as calls without a tool."""
    del registry, setting
    calls: list[dict[str, Any]] = []
    origin: dict[Route, Route] = {}
    connections: list[dict[str, str]] = []
    for index, choice in enumerate(choices):
        step, at = choice.step, ("calls", index)
        sources = step.inputs or ()
        names = [_named(plan, source.name) for source in sources]
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
        _follow(step.params, (*at, "arguments"), step.params_at, origin)
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


def _named(plan: Plan, name: str) -> str:
    """The id of the step that is meant by an id or by the name of an output."""
    step = plan.find_step(name)
    return step.id if step is not None else name


def _follow(value: Any, here: Route, there: Route, origin: dict[Route, Route]) -> None:
    """Lead every place inside of arguments back to where it was drafted."""
    stack: list[tuple[Route, Route, Any]] = [(here, there, value)]
    while stack and len(origin) < _MOST_ROUTES:
        near, far, entries = stack.pop()
        children = entries.items() if isinstance(entries, dict) else enumerate(entries)
        for key, child in children:
            origin[(*near, key)] = (*far, key)
            if isinstance(child, dict | list):
                stack.append(((*near, key), (*far, key), child))
