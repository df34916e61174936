"""Injects networks with two solvers or foreign ports into a model (third set); returns places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import lead, room
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


def _add(diagram: Diagram, path: str, **ports: int) -> dict[str, Any]:
    block = diagram.add("Reference")
    block.update(source=path, linked=True, ports=ports)
    return block


def _join(
    diagram: Diagram, item: tuple[dict[str, Any], str, int], other: tuple[dict[str, Any], str, int]
) -> dict[str, Any]:
    line = lead(diagram, item, other)
    line["physical"] = True
    return line


def _choose_wired(scene: Scene, path: str) -> tuple[Diagram, dict[str, Any]] | None:
    """A block of this path at which a line ends."""
    results = [
        (diagram, block)
        for diagram, block in _list_linked(scene, path)
        if any(_touch(line, block) for line in diagram.lines)
    ]
    return scene.pick(results) if results else None


def _touch(line: dict[str, Any], block: dict[str, Any]) -> bool:
    arriving = (end for _, end in ends(line, ()))
    return any(end and end["block"] == block["sid"] for end in (line.get("from"), *arriving))


def solved_twice(scene: Scene) -> Places | None:
    """A network has two blocks that say how it is solved."""
    chosen = _choose_wired(scene, _SOLVER)
    if chosen is None:
        return None
    diagram, block = chosen
    second = _add(diagram, _SOLVER, rconn=1)
    line = _join(diagram, (block, "rconn", 1), (second, "rconn", 1))
    return diagram.at(block), diagram.at(second), diagram.at_line(line), diagram.route


def own_circuit(scene: Scene) -> Places | None:
    """A circuit of its own, whose only solver is commented out."""
    diagram = room(scene)
    if diagram is None:
        return None
    ground, element = _add(diagram, _REFERENCE, lconn=1), _add(diagram, _RESISTOR, lconn=1, rconn=1)
    solver = _add(diagram, _SOLVER, rconn=1)
    solver["properties"] = {"Commented": "on"}
    lines = (
        _join(diagram, (element, "lconn", 1), (ground, "lconn", 1)),
        _join(diagram, (element, "rconn", 1), (ground, "lconn", 1)),
        _join(diagram, (solver, "rconn", 1), (ground, "lconn", 1)),
    )
    return (
        diagram.at(ground),
        diagram.at(element),
        diagram.at(solver),
        *(diagram.at_line(line) for line in lines),
    )


def signal_joined_to_node(scene: Scene) -> Places | None:
    """A physical signal is joined to an electrical node."""
    chosen = _choose_wired(scene, _REFERENCE)
    if chosen is None:
        return None
    diagram, block = chosen
    converter = _add(diagram, _CONVERTER, **{"in": 1, "rconn": 1})
    diagram.join(diagram.add("Constant", Value="1"), converter)
    line = _join(diagram, (converter, "rconn", 1), (block, "lconn", 1))
    return diagram.at(converter), diagram.at(block), diagram.at_line(line)


def node_into_gain(scene: Scene) -> Places | None:
    """A physical port is led into the input of a gain."""
    chosen = _choose_wired(scene, _REFERENCE) or _choose_wired(scene, _SOLVER)
    if chosen is None:
        return None
    diagram, block = chosen
    kind = "lconn" if " ".join(block["source"].split()) == _REFERENCE else "rconn"
    gain = diagram.add("Gain")
    line = lead(diagram, (block, kind, 1), (gain, "in", 1))
    return diagram.at(block), diagram.at(gain), diagram.at_line(line)


def physical_port_beyond(scene: Scene) -> Places | None:
    """A connection ends at the second port of a reference, which has one."""
    chosen = _choose_wired(scene, _REFERENCE)
    if chosen is None:
        return None
    diagram, block = chosen
    element = _add(diagram, _RESISTOR, lconn=1, rconn=1)
    line = _join(diagram, (element, "lconn", 1), (block, "lconn", 2))
    return diagram.at(block), diagram.at_line(line)


def converter_bypassed(scene: Scene) -> Places | None:
    """A sensor's physical signal is led to a scope."""
    sensor = "fl_lib/Electrical/Electrical Sensors/Voltage Sensor"
    chosen = _choose_wired(scene, sensor)
    if chosen is None:
        return None
    diagram, block = chosen
    scope = diagram.add("Scope")
    line = lead(diagram, (block, "rconn", 1), (scope, "in", 1))
    return diagram.at(block), diagram.at(scope), diagram.at_line(line)
