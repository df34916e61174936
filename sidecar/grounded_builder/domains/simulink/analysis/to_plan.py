"""Converts a model into a plan, lists what the plan omits, and names ports as plans do.

A step is a block of any diagram, port blocks included, and its inputs are the lines of its diagram.
``tool`` and ``params`` state the meaning of the block for drafters. The other keys keep what the
file states, so that ``lower/exact_plan.py`` can restore the model from the plan::

    {"version": 1, "goal": "servo",
     "model": {"name": "servo", "kind": "model", "release": "R2024b", "settings": {...},
               "defaults": {...}, "diagram": {...}},
     "steps": [
       {"id": "sum", "action": "Sum", "tool": "simulink/Math Operations/Sum", "kind": "Sum",
        "params": {"Inputs": "+-", "SaturateOnIntegerOverflow": "on"},
        "silent": ["SaturateOnIntegerOverflow"], "ports": {"in": 2, "out": 1},
        "at": [10, 20, 30, 40], "properties": {...}, "signals": {"1": "error"}, "in": "inner",
        "inputs": [{"from": "ref", "output": 1, "input": 1, "signal": "wanted"}]}]}

``kind`` is the BlockType, ``link`` marks a live library link, ``silent`` names the parameters that
the file leaves out, and ``diagram`` describes the diagram inside the block: its notes, its
properties, and in ``loose`` its lines that lack an end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.analysis.model_view import (
    BlockView,
    ModelView,
    Net,
    build_view,
)
from grounded_builder.domains.simulink.catalog.common_properties import is_code
from grounded_builder.domains.simulink.read.blocks import ELSEWHERE
from grounded_builder.domains.simulink.read.document import PHYSICAL
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.unique_names import UniqueNames

_NOT_WORD = re.compile(r"\W+")
# Keys of a block that a plan keeps unchanged.
_KEPT = ("ports", "signals", "element")
FILE_KEYS = frozenset({"kind", "link", "silent", "at", "properties", "mask", "diagram", *_KEPT})
"""The keys of a step that only restore the file; its tool and parameters state its meaning."""
MODEL_KEYS = frozenset({"name", "kind", "release", "defaults", "diagram"})
"""The keys of a plan's model that only restore the file."""
_MASK = ("type", "parameters", "kinds", "options")
# A subsystem that is stored in a file of its own.
_REFERRING = "simulink/Ports & Subsystems/Subsystem Reference"
_SPOKEN = {"lconn": "LConn", "rconn": "RConn"}


def as_plan(resolved: ResolvedGraph) -> tuple[dict[str, Any], list[str]]:
    """Returns the plan of a resolved model, and the parts of the model that it does not express."""
    model = build_view(resolved)
    lost: Counter[str] = Counter()
    ids = _assign_ids(model)
    steps = {item: _build_step(item, ids, lost) for item in model.items()}
    entries = _describe_model(model, lost)
    for diagram in model.diagrams:
        loose = [_add_line(net, steps, ids, lost) for net in diagram.nets]
        if any(loose):
            holder = entries if diagram.owner is None else steps[diagram.owner]
            holder.setdefault("diagram", {})["loose"] = [item for item in loose if item]
    plan = {
        "version": 1,
        "goal": str(model.model.get("name") or "a model"),
        "model": entries,
        "steps": list(steps.values()),
    }
    return plan, [f"{count:,} {what}" for what, count in sorted(lost.items()) if count]


def port_name(kind: str, index: int, *, leaving: bool) -> int | str:
    """Returns a port as plans name it: a number, ``enable``, ``LConn1``."""
    if kind == ("out" if leaving else "in"):
        return index
    if kind in PHYSICAL:
        return f"{_SPOKEN[kind]}{index}"
    return kind if index == 1 else f"{kind}{index}"


def _assign_ids(model: ModelView) -> dict[BlockView, str]:
    """Returns an id for every block, made from its name."""
    names = UniqueNames(separator="_", fold=str)
    ids: dict[BlockView, str] = {}
    for item in model.items():
        word = _NOT_WORD.sub("_", item.block["name"]).strip("_").lower() or "block"
        word = word if not word[0].isdigit() else f"b_{word}"
        ids[item] = names.claim(word)
    return ids


def _describe_model(model: ModelView, lost: Counter[str]) -> dict[str, Any]:
    """Returns the description of the whole model."""
    whole = model.model
    settings = dict(whole.get("settings") or {})
    codes = [name for name, value in settings.items() if is_code(name, value)]
    lost["callbacks"] += len(codes)
    entries = {
        "name": whole.get("name") or "",
        "kind": whole.get("kind", "model"),
        "release": whole.get("release"),
        "settings": {name: value for name, value in settings.items() if name not in codes},
        "defaults": whole.get("defaults"),
        "diagram": _describe_diagram(whole["system"]),
    }
    return {key: value for key, value in entries.items() if value not in (None, {})}


def _describe_diagram(system: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the description of a diagram without its blocks and lines."""
    entries: dict[str, Any] = {}
    if system.get("annotations"):
        entries["notes"] = [dict(note) for note in system["annotations"]]
    if system.get("properties"):
        entries["properties"] = dict(system["properties"])
    return entries


def _build_step(
    item: BlockView, ids: Mapping[BlockView, str], lost: Counter[str]
) -> dict[str, Any]:
    spec, block = item.spec, item.block
    step: dict[str, Any] = {"id": ids[item], "action": block["name"]}
    base = spec.base if spec is not None else None
    if item.type == "SubSystem" and item.value("ReferencedSubsystem"):
        base = _REFERRING
    step["tool"] = block.get("source") or base or item.type
    step["kind"] = item.type
    if block.get("source"):
        step["link"] = bool(block.get("linked"))
    if item.diagram.owner is not None:
        step["in"] = ids[item.diagram.owner]
    parameters, silent = _parameters(item)
    elsewhere = [name for name, text in parameters.items() if text.startswith(ELSEWHERE)]
    for name in elsewhere:
        del parameters[name]
    lost["values in separate parts of the file"] += len(elsewhere)
    if parameters:
        step["params"] = parameters
    if silent:
        step["silent"] = silent
    step |= {key: block[key] for key in _KEPT if key in block}
    if block.get("position"):
        step["at"] = block["position"]
    if properties := _properties(block, lost):
        step["properties"] = properties
    if "mask" in block:
        mask = block["mask"]
        step["mask"] = {key: mask[key] for key in _MASK if key in mask}
        lost["code of masks"] += bool(mask.get("initialization") or mask.get("display"))
    if block.get("system") is not None:
        step["diagram"] = _describe_diagram(block["system"])
    lost["insides of charts and functions"] += item.opaque in ("chart", "function")
    step["inputs"] = []
    return step


def _parameters(item: BlockView) -> tuple[dict[str, str], list[str]]:
    """Returns the effective parameters of a block, and the names of those that the file leaves out.

    A file leaves out the values that it states once for a BlockType, and built-in defaults.
    """
    parameters = {}
    if item.spec is not None and item.spec.bare:
        parameters = {
            name: parameter.builtin
            for name, parameter in item.spec.parameters.items()
            if parameter.builtin is not None
            and parameter.default is not None
            and parameter.builtin != parameter.default
        }
    parameters = {**parameters, **item.defaults}
    silent = sorted(name for name in parameters if name not in item.given)
    return {**parameters, **item.given}, silent


def _properties(block: Mapping[str, Any], lost: Counter[str]) -> dict[str, str]:
    """Returns the properties that are not code; in older files these include the mask."""
    entries = {}
    for name, value in (block.get("properties") or {}).items():
        if value.startswith(ELSEWHERE):
            lost["values in separate parts of the file"] += 1
        elif is_code(name, value):
            lost["callbacks"] += name.endswith("Fcn")
            lost["code of masks"] += not name.endswith("Fcn") and "mask" not in block
        elif name.startswith("Mask") and name != "MaskHideContents":
            lost["dialogs of masks"] += name == "MaskPromptString"
        else:
            entries[name] = value
    return entries


def _add_line(
    net: Net,
    steps: Mapping[BlockView, dict[str, Any]],
    ids: Mapping[BlockView, str],
    lost: Counter[str],
) -> dict[str, Any] | None:
    """Adds a line to the inputs of the blocks where it ends.

    A physical line leads from the first of its ends. Returns the remaining loose ends of the line,
    and None where there are none.
    """
    lost["corners of lines"] += "points" in net.line
    ends = [(end, item) for _, end, item in net.ends() if item is not None]
    loose = sum(arrival.item is None for arrival in net.arrivals)
    if net.source is None and not (net.physical and len(ends) > 1):
        return {"to": [{"step": ids[item], "input": _name_entry(end)} for end, item in ends]} | (
            {"ends": loose} if loose else {}
        )
    (start, source), *rest = ends
    begun = {"from": ids[source], "output": port_name(start["kind"], start["index"], leaving=True)}
    for end, item in rest:
        entries = {**begun, "input": _name_entry(end)}
        if net.line.get("name"):
            entries["signal"] = net.line["name"]
        steps[item]["inputs"].append(entries)
    return {**begun, "ends": loose} if loose else None


def _name_entry(end: Mapping[str, Any]) -> int | str:
    return port_name(end["kind"], end["index"], leaving=False)
