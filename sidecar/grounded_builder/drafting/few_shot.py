"""Selects earlier accepted plans of similar requests as examples for a prompt, without values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import STOP, split_identifier, stem
from grounded_builder.ir.domain import Domain

MOST = 2
_LEAST_LIKE = 0.4
_LONGEST_PLAN = 2_500
_LONGEST_VALUE = 40
_MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class AcceptedPlan:
    """A recorded run that was accepted: its request, and the nodes and edges of its plan."""

    run: str
    request: str
    nodes: tuple[Mapping[str, Any], ...]
    edges: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Example:
    """An earlier request with its plan as JSON text; ``run`` is the id of its run."""

    run: str
    request: str
    plan: str


def examples_for(
    request: str,
    accepted: Iterable[AcceptedPlan],
    domain: Domain,
    registry: Registry,
    denied: Collection[str] = (),
) -> tuple[Example, ...]:
    """Returns at most two plans for the most similar requests, with permitted tools only."""
    wanted = _word_weights(request, registry)
    ranked: dict[str, tuple[float, AcceptedPlan]] = {}
    for accepted_plan in accepted:
        like = _likeness(wanted, _word_weights(accepted_plan.request, registry))
        known = ranked.get(accepted_plan.request)
        if like >= _LEAST_LIKE and (known is None or like > known[0]):
            ranked[accepted_plan.request] = (like, accepted_plan)
    examples: list[Example] = []
    for _, accepted_plan in sorted(ranked.values(), key=lambda pair: (-pair[0], pair[1].run)):
        plan = _plan(accepted_plan, domain, registry, denied)
        if plan is not None:
            examples.append(Example(accepted_plan.run, accepted_plan.request, plan))
        if len(examples) == MOST:
            break
    return tuple(examples)


def _word_weights(text: str, registry: Registry) -> dict[str, float]:
    words = {stem(word) for word in split_identifier(text) if word not in STOP}
    return {word: registry.search.rarity(word) for word in sorted(words)}


def _likeness(weights: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Returns the share of the weight of both texts that they have in common."""
    together = {**weights, **other}
    total = sum(together.values())
    return sum(together[word] for word in weights.keys() & other.keys()) / total if total else 0.0


def _plan(
    accepted_plan: AcceptedPlan, domain: Domain, registry: Registry, denied: Collection[str]
) -> str | None:
    """Returns the plan as JSON; None where it is too long or has tools that cannot be used now."""
    tools = [str(node.get("tool_id")) for node in accepted_plan.nodes]
    usable = all(
        tool in registry.tools
        and registry.tools[tool].availability == "installed"
        and tool not in denied
        for tool in tools
    )
    if not tools or not usable or len(tools) > _MOST_STEPS:
        return None
    serving = {str(node["id"]) for node in accepted_plan.nodes if _serves(node, domain, registry)}
    steps = [_step(node, accepted_plan.edges, serving, registry) for node in accepted_plan.nodes]
    text = json.dumps({"steps": steps}, ensure_ascii=False)
    return text if len(text) <= _LONGEST_PLAN else None


def _outline(params: Mapping[str, Any], registry: Registry, tool: str) -> dict[str, Any]:
    """Returns the parameters that select an operation with values, and the names of the others."""
    chosen = {key for each in registry.tools[tool].operations for key in each.params}
    return {
        key: value
        if key in chosen and isinstance(value, str) and len(value) <= _LONGEST_VALUE
        else "..."
        for key, value in params.items()
    }


def _step(
    node: Mapping[str, Any],
    edges: Iterable[Mapping[str, Any]],
    serving: Collection[str],
    registry: Registry,
) -> dict[str, Any]:
    """Returns a node as a step: a sub-node names its host, other nodes name their inputs."""
    step, tool = str(node["id"]), str(node["tool_id"])
    ends = [(_step_at(edge["from"]), _step_at(edge["to"])) for edge in edges]
    made = {"id": step, "tool": tool, "params": _outline(node.get("params") or {}, registry, tool)}
    if node.get("settings"):
        made["settings"] = node["settings"]
    if step in serving:
        hosts = list(dict.fromkeys(target for source, target in ends if source == step))
        return made | {"for": hosts if len(hosts) > 1 else "".join(hosts)}
    sources = (source for source, target in ends if target == step and source not in serving)
    return made | {"inputs": list(dict.fromkeys(sources))}


def _step_at(end: Any) -> str:
    """Returns the step of an edge's end, which is written ``step:kind:port``."""
    return str(end).rsplit(":", 2)[0]


def _serves(node: Mapping[str, Any], domain: Domain, registry: Registry) -> bool:
    row = registry.tools[str(node["tool_id"])]
    return bool(domain.prompting.sub_node_kinds(registry.spec(row.id, row.preferred_version), {}))
