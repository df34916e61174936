"""Injects lines at ports that a parameter removes into a model (third set); returns places."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import (
    add_line,
    add_subsystem,
    pick_diagram,
    pick_running_block,
)
from evals.simulink_faults.scene import CONTROLS, Diagram, Scene, is_active
from grounded_builder.domains.simulink.read.document import ends


def _fill_ports(
    scene: Scene,
    *types: str,
    ports: int = 2,
    where: Callable[[Mapping[str, str]], bool] = lambda _: True,
) -> tuple[Diagram, dict[str, Any], int] | None:
    """Returns a block with a line into input ``ports`` or a later one, and the last such input."""
    results = []
    for diagram, block in scene.blocks(*types):
        if not (scene.whole and is_active(block) and where(block.get("parameters", {}))):
            continue
        last = max((end["index"] for _, end in diagram.list_incoming_lines(block)), default=0)
        if last >= ports:
            results.append((diagram, block, last))
    return scene.pick(results) if results else None


def _find_later_outputs(
    scene: Scene, *types: str
) -> list[tuple[Diagram, dict[str, Any], dict[str, Any]]]:
    """Returns every block of these types with a line from an output other than its first."""
    return [
        (diagram, block, line)
        for diagram, block in scene.blocks(*types)
        if scene.whole and is_active(block)
        for line in diagram.signals()
        if line["from"]["block"] == block["sid"] and line["from"]["index"] > 1
    ]


def _set_parameter(chosen: tuple[Diagram, dict[str, Any], int], name: str, text: str) -> Places:
    diagram, block, _ = chosen
    block.setdefault("parameters", {})[name] = text
    block.pop("ports", None)
    lines = [diagram.at_line(line) for line, _ in diagram.list_incoming_lines(block)]
    return diagram.at(block), *lines


def shrink_sum(scene: Scene) -> Places | None:
    """Removes a sign of a sum but not the line."""
    chosen = _fill_ports(scene, "Sum", ports=3)
    return _set_parameter(chosen, "Inputs", "+" * (chosen[2] - 1)) if chosen else None


def shrink_mux(scene: Scene) -> Places | None:
    """Removes an input of a Mux, Bus Creator or Merge but not the line."""
    chosen = _fill_ports(scene, "Mux", "BusCreator", "Merge")
    return _set_parameter(chosen, "Inputs", str(chosen[2] - 1)) if chosen else None


def shrink_demux(scene: Scene) -> Places | None:
    """Removes an output of a Demux but not the line."""
    later_outputs = _find_later_outputs(scene, "Demux")
    if not later_outputs:
        return None
    diagram, block, line = scene.pick(later_outputs)
    block.setdefault("parameters", {})["Outputs"] = str(line["from"]["index"] - 1)
    block.pop("ports", None)
    return diagram.at(block), diagram.at_line(line)


def reduce_gate(scene: Scene) -> Places | None:
    """Changes a gate of two inputs to a negation."""
    chosen = _fill_ports(scene, "Logic", where=lambda p: p.get("Operator", "AND") != "NOT")
    return _set_parameter(chosen, "Operator", "NOT") if chosen else None


def reduce_function(scene: Scene) -> Places | None:
    """Changes a function of two inputs to one with a single input."""
    chosen = _fill_ports(scene, "Math", "Trigonometry")
    if chosen is None:
        return None
    return _set_parameter(
        chosen, "Operator", {"Math": "exp", "Trigonometry": "sin"}[chosen[1]["type"]]
    )


def turn_off_reset(scene: Scene) -> Places | None:
    """Turns off the reset of an integrator or delay but leaves the line."""
    chosen = _fill_ports(scene, "Integrator", "DiscreteIntegrator", "Delay")
    if chosen is None:
        return None
    diagram, block, _ = chosen
    block.setdefault("parameters", {}).update(
        ExternalReset="None" if block["type"] == "Delay" else "none",
        InitialConditionSource="Dialog" if block["type"] == "Delay" else "internal",
        DelayLengthSource="Dialog",
        ShowEnablePort="off",
    )
    if block["type"] != "Delay":
        del block["parameters"]["DelayLengthSource"], block["parameters"]["ShowEnablePort"]
    block.pop("ports", None)
    return diagram.at(block), *(
        diagram.at_line(line) for line, _ in diagram.list_incoming_lines(block)
    )


def turn_off_else(scene: Scene) -> Places | None:
    """Removes all branches but one of a decision but not the lines."""
    later_outputs = _find_later_outputs(scene, "If", "SwitchCase")
    if not later_outputs:
        return None
    diagram, block, line = scene.pick(later_outputs)
    block.setdefault("parameters", {}).update(
        {"ElseIfExpressions": "", "ShowElse": "off"}
        if block["type"] == "If"
        else {"CaseConditions": "{1}", "ShowDefaultCase": "off"}
    )
    block.pop("ports", None)
    return diagram.at(block), diagram.at_line(line)


def connect_hidden_state_port(scene: Scene) -> Places | None:
    """Connects the state port of an integrator that does not show it."""
    chosen = pick_running_block(
        scene, "Integrator", where=lambda p: p.get("ShowStatePort", "off") == "off"
    )
    if chosen is None:
        return None
    diagram, block = chosen
    line = add_line(diagram, (block, "state", 1), (diagram.add("Terminator"), "in", 1))
    return diagram.at(block), diagram.at_line(line)


def _pick_uncontrolled(scene: Scene) -> tuple[Diagram, dict[str, Any]] | None:
    subsystems = [
        (outer, block)
        for outer, block, inner in scene.subsystems()
        if scene.whole and is_active(block) and not inner.of(*CONTROLS, "ResetPort", "ForIterator")
    ]
    return scene.pick(subsystems) if subsystems else None


def connect_missing_enable(scene: Scene) -> Places | None:
    """Connects the enable port of a subsystem without one."""
    return _connect_control(scene, "enable")


def connect_missing_trigger(scene: Scene) -> Places | None:
    """Connects the trigger port of a subsystem without one."""
    return _connect_control(scene, "trigger")


def _connect_control(scene: Scene, kind: str) -> Places | None:
    chosen = _pick_uncontrolled(scene)
    if chosen is None:
        return None
    diagram, block = chosen
    line = add_line(diagram, (diagram.add("Constant", Value="1"), "out", 1), (block, kind, 1))
    return diagram.at(block), diagram.at_line(line)


def drive_enable_twice(scene: Scene) -> Places | None:
    """Connects a second line to an enable or trigger port."""
    subsystems = [
        (outer, block, kind, line)
        for outer, block, inner in scene.subsystems()
        if scene.whole and inner.of("EnablePort", "TriggerPort")
        for kind in ("enable", "trigger")
        for line, _ in outer.list_incoming_lines(block, kind)
    ]
    if not subsystems:
        return None
    diagram, block, kind, line = scene.pick(subsystems)
    second = add_line(diagram, (diagram.add("Constant", Value="1"), "out", 1), (block, kind, 1))
    return diagram.at(block), diagram.at_line(line), diagram.at_line(second)


def join_branches(scene: Scene) -> Places | None:
    """Connects both branches of a line to the same input."""
    diagrams = [
        (diagram, line)
        for diagram in scene.diagrams
        for line in diagram.signals()
        if scene.whole and len([end for _, end in ends(line, ()) if end is not None]) > 1
    ]
    if not diagrams:
        return None
    diagram, line = scene.pick(diagrams)
    first, second = [end for _, end in ends(line, ()) if end is not None][:2]
    block = diagram.find_block(first["block"])
    if block is None or not is_active(block) or not isinstance(second, dict):
        return None
    second.update(first)
    return diagram.at_line(line), diagram.at(block)


def end_in_other_diagram(scene: Scene) -> Places | None:
    """Connects a line to a block of another diagram."""
    subsystems = [
        (outer, inner) for outer, _, inner in scene.subsystems() if scene.whole and inner.blocks
    ]
    if not subsystems:
        return None
    outer, inner = scene.pick(subsystems)
    sid = inner.blocks[0]["sid"]
    if outer.find_block(sid) is not None:
        return None
    line = add_line(outer, (outer.add("Constant", Value="1"), "out", 1), ({"sid": sid}, "in", 1))
    return (outer.at_line(line),)


def duplicate_id(scene: Scene) -> Places | None:
    """Gives two blocks of a diagram the same id, which makes their lines ambiguous."""
    chosen = pick_running_block(scene, "Gain", "Sum", "Constant", "Product")
    if chosen is None:
        return None
    diagram, block = chosen
    second = diagram.add("Ground")
    second["sid"] = block["sid"]
    return diagram.at(block), diagram.at(second)


def leave_port_gap(scene: Scene) -> Places | None:
    """Numbers the ports of a subsystem with a gap, which Simulink closes."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    _, inner = add_subsystem(diagram, "Inport", "Terminator", "Inport", "Terminator")
    first, sink, second, other = inner.blocks
    first["parameters"], second["parameters"] = {"Port": "1"}, {"Port": "3"}
    inner.join(first, sink)
    inner.join(second, other)
    return (inner.at(second),)
