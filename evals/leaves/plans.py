"""Makes plans from real workflows, in the form that drafters write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.step_settings import STEP_SETTINGS

_MAIN = "main"


def plan_of(workflow: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a plan with a step for each node, and the inputs of each."""
    nodes = [node for node in workflow["nodes"] if isinstance(node, dict) and node.get("name")]
    feeds, served = _read_edges(workflow, {node["name"] for node in nodes})
    steps = []
    for node in nodes:
        name = node["name"]
        step: dict[str, Any] = {"id": name, "tool": node.get("type"), "action": name}
        if node.get("parameters"):
            step["params"] = node["parameters"]
        if name in served:
            step["for"], step["as"] = served[name]
        else:
            step["inputs"] = feeds.get(name, [])
        if node.get("typeVersion") is not None:
            step["version"] = node["typeVersion"]
        if node.get("notes"):
            step["remarks"] = node["notes"]
        step |= {key: node[key] for key in STEP_SETTINGS if key in node}
        steps.append(step)
    return {"goal": workflow.get("name") or "A workflow", "steps": steps}


def _read_edges(
    workflow: Mapping[str, Any], names: set[str]
) -> tuple[dict[str, list[Any]], dict[str, tuple[str, str]]]:
    """Returns the inputs of each node, and the node that each sub-node serves with the kind."""
    feeds: dict[str, list[Any]] = {}
    served: dict[str, tuple[str, str]] = {}
    order = {name: place for place, name in enumerate(names)}
    for source, kinds in (workflow.get("connections") or {}).items():
        if source not in names or not isinstance(kinds, dict):
            continue
        for kind, outputs in kinds.items():
            for output, targets in enumerate(outputs if isinstance(outputs, list) else ()):
                for target in targets if isinstance(targets, list) else ():
                    taker = target.get("node") if isinstance(target, dict) else None
                    if taker not in order:
                        continue
                    if kind != _MAIN:
                        served.setdefault(source, (taker, kind))
                        continue
                    index = target.get("index") or 0
                    entry = {"from": source, "output": output, "input": index}
                    if source == taker:
                        entry["back"] = True
                    plain = not output and not index and source != taker
                    feeds.setdefault(taker, []).append(source if plain else entry)
    return feeds, served
