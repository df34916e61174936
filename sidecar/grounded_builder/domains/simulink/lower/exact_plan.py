"""Recognizes plans that were made from a model, and restores the model from them exactly.

Names are not resolved, parameters are not fitted and lines are not routed. Unknown names stay as
they are, and faults of the model are reported as in any file. The plan is trusted only when its
author also owns the model; otherwise it is a draft. ``analysis/to_plan.py`` describes the format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.simulink.draw.routing import route_lines
from grounded_builder.domains.simulink.lower.exact_plan_lines import draw, draw_loose
from grounded_builder.domains.simulink.lower.exact_plan_model import Making
from grounded_builder.domains.simulink.read.blocks import opaque_of
from grounded_builder.domains.simulink.read.document import SHAPE
from grounded_builder.domains.simulink.resolve.target import OPTIONS
from grounded_builder.ir.plan import Plan, Step
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, UNREAD_KEY

MARK = "model"
_KINDS = ("model", "library", "subsystem")


def is_of_model(document: Any) -> bool:
    """Returns whether a document is a plan that was made of a model."""
    return isinstance(document, dict) and isinstance(document.get(MARK), dict)


def model_of(document: Mapping[str, Any]) -> tuple[dict[str, Any] | None, tuple[Diagnostic, ...]]:
    """Returns the model of which a plan was made; None where the plan is malformed."""
    plan, diagnostics = read_plan(document, target_options=OPTIONS)
    making = Making(document)
    # Keys that a step of a draft does not have belong to this format, or are unknown to models.
    making.diagnostics += (
        diagnostic for diagnostic in diagnostics if diagnostic.rule not in (LOOSE_SHAPE, UNREAD_KEY)
    )
    if plan is None:
        return None, tuple(making.diagnostics)
    kind = making.of((MARK,), "kind", kind=str)
    if kind not in _KINDS:
        making.bad((MARK, "kind"), f'"{kind}" is not one of {", ".join(_KINDS)}')
    top: dict[str, Any] = {"blocks": [], "lines": []}
    _describe(top, (MARK,), making)
    for step in plan.steps:
        making.blocks[step.id] = _block(step, str(len(making.blocks) + 1), making)
    _nest(plan, top, making)
    defaults = making.of((MARK,), "defaults")
    model = {
        "simulink": SHAPE,
        "kind": kind,
        "name": making.of((MARK,), "name", kind=str) or plan.goal,
        "layout": "slx",
        "release": making.of((MARK,), "release", kind=str) or None,
        "settings": making.texts((MARK,), "settings"),
        "defaults": {
            kind: making.texts((MARK,), "defaults", kind, valued=True) for kind in defaults
        },
        "system": top,
    }
    if making.diagnostics:
        return None, tuple(making.diagnostics)
    return {key: value for key, value in model.items() if value is not None}, ()


def _describe(system: dict[str, Any], at: Route, making: Making) -> None:
    """Adds the description of a diagram to it."""
    for index, note in enumerate(making.of(at, "diagram", "notes", kind=list)):
        here = (*at, "diagram", "notes", index)
        if not isinstance(note, dict) or not isinstance(note.get("text"), str):
            making.bad(here, "a note is an object with a text")
            continue
        entries: dict[str, Any] = {"text": note["text"]}
        if place := _place(here, "position", making):
            entries["position"] = place
        if interpreter := making.of(here, "interpreter", kind=str):
            entries["interpreter"] = interpreter
        system.setdefault("annotations", []).append(entries)
    if properties := making.texts(at, "diagram", "properties"):
        system["properties"] = properties


def _place(at: Route, key: str, making: Making) -> list[float]:
    """Returns a position in the numbers of files; empty where none is stated."""
    numbers: list[Any] = making.of(at, key, kind=list)
    if all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        return numbers
    making.bad((*at, key), f'"{key}" is not a list of numbers')
    return []


def _block(step: Step, sid: str, making: Making) -> dict[str, Any]:
    at = step.at
    block: dict[str, Any] = {"sid": sid}
    block["name"] = making.of(at, "action", kind=str)
    block["type"] = making.of(at, "kind", kind=str)
    if "link" in making.of(at):
        block |= {"source": step.tool, "linked": making.of(at, "link", kind=bool)}
    silent = {item for item in making.of(at, "silent", kind=list) if isinstance(item, str)}
    parameters = making.texts(at, "params", valued=True)
    if parameters := {name: parameters[name] for name in parameters if name not in silent}:
        block["parameters"] = parameters
    if properties := making.texts(at, "properties"):
        block["properties"] = properties
    if place := _place(at, "at", making):
        block["position"] = place
    raw = making.of(at)
    if "ports" in raw:
        block["ports"] = making.of(at, "ports")
    if "signals" in raw:
        block["signals"] = making.texts(at, "signals")
    if "element" in raw:
        block["element"] = {key: making.of(at, "element", key, kind=str) for key in ("bus", "path")}
    if "mask" in raw:
        kind = making.of(at, "mask", "type", kind=str)
        values = making.texts(at, "mask", "parameters", valued=True)
        block["mask"] = {"type": kind, "parameters": values}
        if kinds := making.texts(at, "mask", "kinds"):
            block["mask"]["kinds"] = kinds
        if listed := making.of(at, "mask", "options"):
            block["mask"]["options"] = {name: _options(at, name, making) for name in listed}
    if opaque := opaque_of(block):
        block["opaque"] = opaque
    if "diagram" in raw:
        block["system"] = {"blocks": [], "lines": []}
        _describe(block["system"], at, making)
    return block


def _options(at: Route, name: str, making: Making) -> list[str]:
    """Returns the options of a mask parameter."""
    options: list[Any] = making.of(at, "mask", "options", name, kind=list)
    if all(isinstance(option, str) for option in options):
        return options
    making.bad((*at, "mask", "options", name), f'"{name}" is not a list of texts')
    return []


def _nest(plan: Plan, top: dict[str, Any], making: Making) -> None:
    """Adds every block to its diagram, and draws the lines there."""
    around = {step.id: step.inside for step in plan.steps}
    inside: dict[str | None, dict[str, Any]] = {None: top}
    for step in plan.steps:
        block = making.blocks[step.id]
        if "system" in block:
            inside[step.id] = block["system"]
    for step in plan.steps:
        if step.inside not in inside:
            making.bad((*step.at, "in"), f'"{step.inside}" is not a step with a diagram')
            continue
        inside[step.inside]["blocks"].append(making.blocks[step.id])
        for source in step.inputs or ():
            if around.get(source.name, "") != step.inside:
                making.bad(source.at, f'"{source.name}" is not a step of the same diagram')
                continue
            draw(step, source, inside[step.inside], making)
    at: Mapping[str | None, Route] = {None: (MARK,), **{step.id: step.at for step in plan.steps}}
    for holder, system in inside.items():
        for index, item in enumerate(making.of(at[holder], "diagram", "loose", kind=list)):
            here = (*at[holder], "diagram", "loose", index)
            if isinstance(item, dict):
                draw_loose(holder, here, around, system, making)
            else:
                making.bad(here, "a loose line is an object")
    _check_no_cycle(plan, around, making)
    for system in inside.values():
        system.update(route_lines(system))


def _check_no_cycle(plan: Plan, around: Mapping[str, str | None], making: Making) -> None:
    """Reports blocks that contain themselves."""
    outside: set[str | None] = {None}
    for step in plan.steps:
        way: list[str | None] = []
        here: str | None = step.id
        while here not in outside and here not in way:
            way.append(here)
            here = around.get(here or "")
        if here in way:
            making.bad((*step.at, "in"), f'"{step.id}" contains itself')
            return
        outside.update(way)
