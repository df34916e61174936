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
    """A block of these types that takes part in simulations, its parameters as asked."""
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks(*types)
        if scene.whole and is_active(block) and where(block.get("parameters", {}))
    ]
    return scene.pick(blocks) if blocks else None


def room(scene: Scene) -> Diagram | None:
    """A diagram with blocks of everyday that runs as long as the model does."""
    subsystems = [inner.route for _, _, inner in scene.subsystems() if inner.of(*CONTROLS)]
    diagrams = [
        diagram
        for diagram in scene.diagrams
        if scene.whole
        and any(is_active(block) for block in diagram.of(*_USUAL))
        and not any(diagram.route[: len(item)] == item for item in subsystems)
    ]
    return scene.pick(diagrams) if diagrams else None


def put(scene: Scene, kind: str, *sources: Mapping[str, str], **values: str) -> Places | None:
    """A new block somewhere, fed with constants of these parameters; places of all of it."""
    diagram = room(scene)
    if diagram is None:
        return None
    block = diagram.add(kind, **values)
    return diagram.at(block), *feed(diagram, block, *sources)


def feed(diagram: Diagram, block: dict[str, Any], *sources: Mapping[str, str]) -> tuple[Route, ...]:
    """Constants of these parameters into the inputs of a block; places of the lines."""
    return tuple(
        diagram.at_line(diagram.join(diagram.add("Constant", **source), block, port))
        for port, source in enumerate(sources, start=1)
    )


def box(diagram: Diagram, *kinds: str) -> tuple[dict[str, Any], Diagram]:
    """A new subsystem that holds blocks of these types, and its inside."""
    block = diagram.add("SubSystem")
    # Unique in the model, as those inside.
    block["sid"] = f"{block['sid']}0{len(diagram.route)}"
    block["name"] = f"Injected {block['sid']}"
    block["system"] = {"blocks": [], "lines": []}
    inner = Diagram((*diagram.at(block), "system"), block["system"])
    for place, kind in enumerate(kinds):
        entries = inner.add(kind)
        entries["sid"] = f"{block['sid']}{place}"
        entries["name"] = f"Injected {entries['sid']}"
    return block, inner


def lead(
    diagram: Diagram,
    source: tuple[Mapping[str, Any], str, int],
    target: tuple[Mapping[str, Any], str, int],
) -> dict[str, Any]:
    """A new line between two ports, each a block, a kind and a number."""
    line: dict[str, Any] = {
        "from": {"block": source[0]["sid"], "kind": source[1], "index": source[2]},
        "to": {"block": target[0]["sid"], "kind": target[1], "index": target[2]},
    }
    diagram.lines.append(line)
    return line
