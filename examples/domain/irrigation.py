"""A whole domain in one file: schedules of irrigation, as docs/architecture.md describes it.

A document holds ``actions`` such as
``{"id": "lawn", "tool": "garden.sprinkle", "params": {"minutes": 20}}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.ir.domain import (
    BuildingPart,
    CheckingPart,
    Domain,
    PromptingFacts,
    Reading,
    ReadingPart,
    ResolvingPart,
)
from grounded_builder.ir.graph import Edge, Graph, Node, ResolvedGraph
from grounded_builder.ir.intent import Meaning
from grounded_builder.ir.lowering import Lowered, ResolvedPlan, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.rules.parameters import OUT_OF_RANGE
from grounded_builder.ir.rules.reading import WRONG_DOCUMENT
from grounded_builder.resolve import resolve_name

_LONGEST_MINUTES = 60
_Variant = Mapping[str, Any]


def read(document: Any) -> Reading:
    """Reads actions into a graph in which each follows the one before it."""
    actions = document.get("actions") if isinstance(document, dict) else None
    if not isinstance(actions, list) or not all(isinstance(action, dict) for action in actions):
        message = 'the document has no list "actions" of objects'
        return Reading(None, (new_diagnostic(WRONG_DOCUMENT, (), message, help="write a plan"),))
    nodes = tuple(
        Node(
            name=str(action.get("id") or f"action_{index + 1}"),
            tool=action.get("tool") or None,
            version=None,
            params=action.get("params") or {},
            at=("actions", index),
            source=action,
        )
        for index, action in enumerate(actions)
    )
    edges = tuple(
        Edge(before.name, "main", 0, after.name, "main", 0, after.at)
        for before, after in pairwise(nodes)
    )
    return Reading(Graph(document, nodes, edges), ())


def compile_tool(tool: Mapping[str, Any], version: float) -> _Variant:
    """Returns the variant of a catalog entry at a version; KeyError where it has none."""
    for variant in tool["variants"]:
        if version in variant["versions"]:
            return dict(variant)
    raise KeyError((tool["id"], version))


def check_minutes(
    resolved: ResolvedGraph, _registry: Registry, _options: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds actions that water for longer than an hour."""
    for item in resolved.nodes:
        minutes = item.node.params.get("minutes", 0)
        if item.spec is not None and minutes > _LONGEST_MINUTES:
            yield new_diagnostic(
                OUT_OF_RANGE,
                (*item.node.at, "params", "minutes"),
                f"{minutes} minutes are more than {_LONGEST_MINUTES}",
                help="water for an hour at most",
                node=item.node.name,
            )


def lower(
    plan: Plan,
    choices: tuple[StepResolution, ...],
    _registry: Registry,
    _options: CompileOptions,
) -> Lowered:
    """Makes one action of each step and maps the places in it back to the plan."""
    actions: list[dict[str, Any]] = []
    origin: dict[Route, Route] = {}
    for index, choice in enumerate(choices):
        step = choice.step
        at: Route = ("actions", index)
        tool = choice.tool.id if choice.tool is not None else ""
        actions.append({"id": step.id, "tool": tool, "params": dict(step.params)})
        origin |= {at: step.at, (*at, "tool"): step.tool_at, (*at, "params"): step.params_at}
        origin |= {(*at, "params", name): (*step.params_at, name) for name in step.params}
    nodes = tuple({**action, "tool_id": action["tool"]} for action in actions)
    order = {"order": [step.id for step in plan.steps], "groups": {}}
    return Lowered({"actions": actions}, origin, (), ResolvedPlan(nodes, (), order))


def build(resolved: ResolvedGraph, _options: CompileOptions) -> Mapping[str, Any]:
    """Makes the artifact: the actions with the ids of their tools."""
    return {
        "actions": [
            {"id": item.node.name, "tool": item.tool.id, "params": dict(item.node.params)}
            for item in resolved.nodes
            if item.tool is not None
        ]
    }


def outline(variant: _Variant, preset: Mapping[str, Any]) -> str:
    """Returns the names of the parameters that are not set yet, for prompts."""
    names = (parameter["name"] for parameter in variant["parameters"])
    return ", ".join(name for name in names if name not in preset)


def no_sub_nodes(_variant: _Variant, _params: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns nothing: no tool of this domain has sub-nodes."""
    return ()


def no_parameters(_variant: _Variant, _params: Mapping[str, Any], _meaning: Meaning) -> _Variant:
    """Returns nothing: the planner sets no parameters in this domain."""
    return {}


IRRIGATION = Domain(
    name="irrigation",
    reading=ReadingPart(read=read, document_hint="an irrigation schedule"),
    resolving=ResolvingPart(resolve=resolve_name, compile_tool=compile_tool),
    checking=CheckingPart(checks=(check_minutes,)),
    building=BuildingPart(build=build, lower=lower),
    prompting=PromptingFacts(
        rules=("Each step waters one place; steps run one after the other.",),
        default_trigger="",
        always_shown_tools=(),
        phrases=(),
        parameter_outline=outline,
        accepted_sub_nodes=no_sub_nodes,
        required_sub_nodes=no_sub_nodes,
        sub_node_kinds=no_sub_nodes,
        parameters_for=no_parameters,
    ),
)
