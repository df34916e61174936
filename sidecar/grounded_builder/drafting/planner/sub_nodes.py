"""Hang sub-nodes on the steps that take them, and give every step those it cannot do without."""

from __future__ import annotations

from typing import Any

from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.patterns import serving
from grounded_builder.drafting.planner.plan_builder import PlanBuilder
from grounded_builder.drafting.planner.tool_facts import Toolbox

_SHORTEST_WORD = 3


def attach(drawing: PlanBuilder, request: str, box: Toolbox) -> list[str]:
    """Attach all sub-nodes; the ids of steps that found no place, which are taken out."""
    _house(drawing, box)
    homeless = _hang(drawing, box)
    seen = 0
    while seen < len(drawing.steps):  # what is given to a step may itself want something
        _serve(drawing.steps[seen], drawing, request, box)
        seen += 1
    gone = {step["id"] for step in homeless}
    drawing.steps = [step for step in drawing.steps if step["id"] not in gone]
    return sorted(gone)


def _house(drawing: PlanBuilder, box: Toolbox) -> None:
    """Put what cannot do without a kind before the first sub-node of it, where nothing takes it."""
    for step in list(drawing.steps):
        kinds = box.serves(step["tool"], step["params"])
        taken = {kind for host in drawing.steps for kind in box.takes(host["tool"], host["params"])}
        if not kinds or not taken.isdisjoint(kinds):
            continue
        if drawing.is_closed:
            continue
        host = next((one for one in box.hosts() if _wanted(one, kinds, box)), None)
        if host is not None:
            drawing.host(host, step)


def _wanted(tool: str, kinds: tuple[str, ...], box: Toolbox) -> bool:
    return not set(kinds).isdisjoint(box.wants(tool))


def _hang(drawing: PlanBuilder, box: Toolbox) -> list[dict[str, Any]]:
    """Put every sub-node on the nearest step that takes its kind, the ones before it first."""
    homeless = []
    for place, step in enumerate(drawing.steps):
        kinds = box.serves(step["tool"], step["params"])
        if not kinds:
            continue
        for host in [*reversed(drawing.steps[:place]), *drawing.steps[place + 1 :]]:
            takes = box.takes(host["tool"], host["params"])
            kind = next((kind for kind in kinds if kind in takes), None)
            if kind is not None and _is_free(host, kind, drawing, box):
                step.update({"for": host["id"], "as": kind})
                break
        else:
            homeless.append(step)
    return homeless


def _is_free(host: dict[str, Any], kind: str, drawing: PlanBuilder, box: Toolbox) -> bool:
    """A kind that a step cannot do without is one of a kind: a second one goes elsewhere."""
    wants = box.wants(host["tool"], host["params"])
    served = any(s.get("for") == host["id"] and s.get("as") == kind for s in drawing.steps)
    return not (kind in wants and served)


def _serve(host: dict[str, Any], drawing: PlanBuilder, request: str, box: Toolbox) -> None:
    """Give a step what it wants, and of what it may have that which the request speaks of."""
    wants = box.wants(host["tool"], host["params"])
    said = {stem(word) for word in split_identifier(request)}
    for kind in box.takes(host["tool"], host["params"]):
        served = any(s.get("for") == host["id"] and s.get("as") == kind for s in drawing.steps)
        if served or not (kind in wants or _speaks_of(kind, said)):
            continue
        tool = _like(kind, drawing, box) or serving(request, kind, box)[0]
        if tool is not None:
            number = len(drawing.steps) + 1
            sub = {"id": f"s{number}", "tool": tool, "for": host["id"], "as": kind}
            drawing.steps.append({**sub, "params": {}})


def _like(kind: str, drawing: PlanBuilder, box: Toolbox) -> str | None:
    """The tool of a kind from the maker of what is drawn for another kind: its credentials do."""
    brands = [name for name, tool in box.brand_names(kind)]
    for step in drawing.steps:
        if step.get("for") and step["as"] != kind:
            for name, tool in box.brand_names(step["as"]):
                if tool == step["tool"] and name in brands:
                    return dict(box.brand_names(kind))[name]
    return None


def _speaks_of(kind: str, said: set[str]) -> bool:
    """Whether all words of a kind's own name are said: memory, output parser."""
    words = [stem(word) for word in split_identifier(kind.partition("_")[2] or kind)]
    return bool(words) and all(word in said and len(word) >= _SHORTEST_WORD for word in words)
