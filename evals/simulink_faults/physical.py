"""Injects faults in physical networks into a model, and returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene
from grounded_builder.domains.simulink.read.document import systems

_SOLVER = "nesl_utility/Solver Configuration"
_ELECTRICAL = "fl_lib/Electrical/Electrical Elements/Electrical Reference"
_ROTATIONAL = "fl_lib/Mechanical/Rotational Elements/Mechanical Rotational Reference"


def _list_linked(scene: Scene, *paths: str) -> list[tuple[Diagram, dict[str, Any]]]:
    return [
        (diagram, block)
        for diagram in scene.diagrams
        for block in diagram.blocks
        if " ".join(block.get("source", "").split()) in paths
    ]


def _is_wired(diagram: Diagram, block: dict[str, Any]) -> bool:
    return any(block["sid"] in str(line) and line.get("physical") for line in diagram.lines)


def connect_signal_to_physical(scene: Scene) -> Places | None:
    """Connects a Simulink signal to a physical port."""
    results = _list_linked(scene, _ELECTRICAL, _ROTATIONAL)
    if not results:
        return None
    diagram, block = scene.pick(results)
    source = diagram.add("Constant", Value="1")
    line = diagram.join(source, block)
    line["to"]["kind"] = "lconn"
    return diagram.at_line(line), diagram.at(block), diagram.at(source)


def join_domains(scene: Scene) -> Places | None:
    """Connects an electrical node to a shaft."""
    results = [item for item in _list_linked(scene, _ELECTRICAL) if _is_wired(*item)]
    if not results:
        return None
    diagram, block = scene.pick(results)
    shaft = diagram.add("Reference")
    shaft["source"], shaft["linked"], shaft["ports"] = _ROTATIONAL, True, {"lconn": 1}
    line: dict[str, Any] = {
        "physical": True,
        "from": {"block": block["sid"], "kind": "lconn", "index": 1},
        "to": {"block": shaft["sid"], "kind": "lconn", "index": 1},
    }
    diagram.lines.append(line)
    return diagram.at_line(line), diagram.at(block), diagram.at(shaft)


def remove_solver(scene: Scene) -> Places | None:
    """Removes the only Solver Configuration of a network."""
    results = _list_linked(scene, _SOLVER)
    if (
        len(results) != 1
        or not _is_alone(scene)
        or not _list_linked(scene, _ELECTRICAL, _ROTATIONAL)
    ):
        return None
    diagram, block = results[0]
    if not any(item is diagram for item, _ in _list_linked(scene, _ELECTRICAL, _ROTATIONAL)):
        return None
    _unplug(diagram, block)
    return (diagram.route,)


def remove_reference(scene: Scene) -> Places | None:
    """Removes the only reference of a circuit."""
    results = _list_linked(scene, _ELECTRICAL)
    if len(results) != 1 or not _is_alone(scene) or not _list_linked(scene, _SOLVER):
        return None
    if any("Ground" in b.get("source", "") for diagram in scene.diagrams for b in diagram.blocks):
        return None
    diagram, block = results[0]
    _unplug(diagram, block)
    return (diagram.route,)


def _is_alone(scene: Scene) -> bool:
    """Checks that no other file can contain the removed block: no parent model and no reference."""
    referring = (
        block.get("parameters", {}).get("ReferencedSubsystem")
        for _, _, system in systems(scene.model)
        for block in system["blocks"]
    )
    return scene.whole and not any(referring)


def _unplug(diagram: Diagram, block: dict[str, Any]) -> None:
    """Removes a block; the other ends of its lines stay connected."""
    sid = block["sid"]
    for line in diagram.lines:
        _remove_ends(line, sid)
    diagram.lines[:] = [line for line in diagram.lines if _count_ends(line) > 1]
    diagram.blocks[:] = [item for item in diagram.blocks if item is not block]


def _remove_ends(part: dict[str, Any], sid: str) -> None:
    for key in ("from", "to"):
        if key in part and part[key]["block"] == sid:
            del part[key]
    for inner in part.get("branches", ()):
        _remove_ends(inner, sid)


def _count_ends(part: dict[str, Any]) -> int:
    own = sum(key in part for key in ("from", "to"))
    return own + sum(_count_ends(inner) for inner in part.get("branches", ()))
