"""Injects networks with two solvers or foreign ports into a model (third set); returns places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import add_line, pick_diagram
from evals.simulink_faults.scene import Diagram, Scene, is_active
from grounded_builder.domains.simulink.read.document import ends

_SOLVER = "nesl_utility/Solver Configuration"
_CONVERTER = "nesl_utility/Simulink-PS Converter"
_REFERENCE = "fl_lib/Electrical/Electrical Elements/Electrical Reference"
_RESISTOR = "fl_lib/Electrical/Electrical Elements/Resistor"


def _list_linked(scene: Scene, path: str) -> list[tuple[Diagram, dict[str, Any]]]:
    return [
        (diagram, block)
        for diagram in scene.diagrams
        for block in diagram.blocks
        if " ".join(block.get("source", "").split()) == path and scene.whole and is_active(block)
    ]


def _add_block(diagram: Diagram, path: str, **ports: int) -> dict[str, Any]:
    block = diagram.add("Reference")
    block.update(source=path, linked=True, ports=ports)
    return block


def _connect(
    diagram: Diagram, item: tuple[dict[str, Any], str, int], other: tuple[dict[str, Any], str, int]
) -> dict[str, Any]:
    line = add_line(diagram, item, other)
    line["physical"] = True
    return line


def _choose_wired(scene: Scene, path: str) -> tuple[Diagram, dict[str, Any]] | None:
    """Returns a random connected block with this library path."""
    results = [
        (diagram, block)
        for diagram, block in _list_linked(scene, path)
        if any(_touches(line, block) for line in diagram.lines)
    ]
    return scene.pick(results) if results else None


def _touches(line: dict[str, Any], block: dict[str, Any]) -> bool:
    arriving = (end for _, end in ends(line, ()))
    return any(end and end["block"] == block["sid"] for end in (line.get("from"), *arriving))


def add_second_solver(scene: Scene) -> Places | None:
    """Adds a second Solver Configuration to a network."""
    chosen = _choose_wired(scene, _SOLVER)
    if chosen is None:
        return None
    diagram, block = chosen
    second = _add_block(diagram, _SOLVER, rconn=1)
    line = _connect(diagram, (block, "rconn", 1), (second, "rconn", 1))
    return diagram.at(block), diagram.at(second), diagram.at_line(line), diagram.route


def add_unsolved_circuit(scene: Scene) -> Places | None:
    """Adds a separate circuit whose only solver is commented out."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    ground, element = (
        _add_block(diagram, _REFERENCE, lconn=1),
        _add_block(diagram, _RESISTOR, lconn=1, rconn=1),
    )
    solver = _add_block(diagram, _SOLVER, rconn=1)
    solver["properties"] = {"Commented": "on"}
    lines = (
        _connect(diagram, (element, "lconn", 1), (ground, "lconn", 1)),
        _connect(diagram, (element, "rconn", 1), (ground, "lconn", 1)),
        _connect(diagram, (solver, "rconn", 1), (ground, "lconn", 1)),
    )
    return (
        diagram.at(ground),
        diagram.at(element),
        diagram.at(solver),
        *(diagram.at_line(line) for line in lines),
    )


def join_signal_to_node(scene: Scene) -> Places | None:
    """Connects a physical signal to an electrical node."""
    chosen = _choose_wired(scene, _REFERENCE)
    if chosen is None:
        return None
    diagram, block = chosen
    converter = _add_block(diagram, _CONVERTER, **{"in": 1, "rconn": 1})
    diagram.join(diagram.add("Constant", Value="1"), converter)
    line = _connect(diagram, (converter, "rconn", 1), (block, "lconn", 1))
    return diagram.at(converter), diagram.at(block), diagram.at_line(line)


def connect_node_to_gain(scene: Scene) -> Places | None:
    """Connects a physical port to the input of a gain."""
    chosen = _choose_wired(scene, _REFERENCE) or _choose_wired(scene, _SOLVER)
    if chosen is None:
        return None
    diagram, block = chosen
    kind = "lconn" if " ".join(block["source"].split()) == _REFERENCE else "rconn"
    gain = diagram.add("Gain")
    line = add_line(diagram, (block, kind, 1), (gain, "in", 1))
    return diagram.at(block), diagram.at(gain), diagram.at_line(line)


def exceed_physical_ports(scene: Scene) -> Places | None:
    """Connects a line to the second port of a reference, which has one."""
    chosen = _choose_wired(scene, _REFERENCE)
    if chosen is None:
        return None
    diagram, block = chosen
    element = _add_block(diagram, _RESISTOR, lconn=1, rconn=1)
    line = _connect(diagram, (element, "lconn", 1), (block, "lconn", 2))
    return diagram.at(block), diagram.at_line(line)


def bypass_converter(scene: Scene) -> Places | None:
    """Connects the physical signal of a sensor to a scope."""
    sensor = "fl_lib/Electrical/Electrical Sensors/Voltage Sensor"
    chosen = _choose_wired(scene, sensor)
    if chosen is None:
        return None
    diagram, block = chosen
    scope = diagram.add("Scope")
    line = add_line(diagram, (block, "rconn", 1), (scope, "in", 1))
    return diagram.at(block), diagram.at(scope), diagram.at_line(line)
