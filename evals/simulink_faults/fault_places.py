"""Finds blocks and diagrams of a model for faults, and adds blocks and lines to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import CONTROLS, Diagram, Scene, is_active
from grounded_builder.diagnostics import Route

_USUAL = ("Gain", "Sum", "Product", "Integrator", "Constant", "Switch", "UnitDelay")


def pick_running_block(
    scene: Scene,
    *types: str,
    where: Callable[[Mapping[str, str]], bool] = lambda _: True,
) -> tuple[Diagram, dict[str, Any]] | None:
    """Returns a random active block of these types whose parameters satisfy ``where``."""
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks(*types)
        if scene.whole and is_active(block) and where(block.get("parameters", {}))
    ]
    return scene.pick(blocks) if blocks else None


def pick_diagram(scene: Scene) -> Diagram | None:
    """Returns a random diagram with common blocks that always runs."""
    subsystems = [inner.route for _, _, inner in scene.subsystems() if inner.of(*CONTROLS)]
    diagrams = [
        diagram
        for diagram in scene.diagrams
        if scene.whole
        and any(is_active(block) for block in diagram.of(*_USUAL))
        and not any(diagram.route[: len(item)] == item for item in subsystems)
    ]
    return scene.pick(diagrams) if diagrams else None


def add_fed_block(
    scene: Scene, kind: str, *sources: Mapping[str, str], **values: str
) -> Places | None:
    """Adds a block fed with constants of these parameters; returns the places of all of it."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block = diagram.add(kind, **values)
    return diagram.at(block), *feed_constants(diagram, block, *sources)


def feed_constants(
    diagram: Diagram, block: dict[str, Any], *sources: Mapping[str, str]
) -> tuple[Route, ...]:
    """Connects constants of these parameters to the inputs of a block; returns the line routes."""
    return tuple(
        diagram.at_line(diagram.join(diagram.add("Constant", **source), block, port))
        for port, source in enumerate(sources, start=1)
    )


def add_subsystem(diagram: Diagram, *kinds: str) -> tuple[dict[str, Any], Diagram]:
    """Adds a subsystem with blocks of these types; returns it and its diagram."""
    block = diagram.add("SubSystem")
    # The id is unique in the model, as are the inner ids.
    block["sid"] = f"{block['sid']}0{len(diagram.route)}"
    block["name"] = f"Injected {block['sid']}"
    block["system"] = {"blocks": [], "lines": []}
    inner = Diagram((*diagram.at(block), "system"), block["system"])
    for place, kind in enumerate(kinds):
        entries = inner.add(kind)
        entries["sid"] = f"{block['sid']}{place}"
        entries["name"] = f"Injected {entries['sid']}"
    return block, inner


def add_line(
    diagram: Diagram,
    source: tuple[Mapping[str, Any], str, int],
    target: tuple[Mapping[str, Any], str, int],
) -> dict[str, Any]:
    """Adds a line between two ports, each a block, a kind and a number."""
    line: dict[str, Any] = {
        "from": {"block": source[0]["sid"], "kind": source[1], "index": source[2]},
        "to": {"block": target[0]["sid"], "kind": target[1], "index": target[2]},
    }
    diagram.lines.append(line)
    return line
