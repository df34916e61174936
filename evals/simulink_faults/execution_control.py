"""Injects faults at control ports, and cases for advice, into a model (third set)."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import add_line, add_subsystem, pick_diagram
from evals.simulink_faults.scene import Diagram, Scene
from grounded_builder.domains.simulink.read.document import block_path, systems


def _add_subsystem(scene: Scene, *kinds: str) -> tuple[Diagram, dict[str, Any], Diagram] | None:
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    return diagram, *add_subsystem(diagram, *kinds)


def _add_constant(diagram: Diagram) -> dict[str, Any]:
    return diagram.add("Constant", Value="1")


def leave_action_open(scene: Scene) -> Places | None:
    """Leaves the action port of a subsystem unconnected."""
    made = _add_subsystem(scene, "ActionPort")
    return (made[0].at(made[1]),) if made else None


def leave_trigger_open(scene: Scene) -> Places | None:
    """Leaves the trigger port of a subsystem unconnected."""
    made = _add_subsystem(scene, "TriggerPort")
    return (made[0].at(made[1]),) if made else None


def connect_action_to_gain(scene: Scene) -> Places | None:
    """Connects the action output of an If block to a gain."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    decision, gain = diagram.add("If", IfExpression="u1 > 0", ShowElse="off"), diagram.add("Gain")
    diagram.join(_add_constant(diagram), decision)
    line = diagram.join(decision, gain)
    return diagram.at(decision), diagram.at(gain), diagram.at_line(line)


def connect_action_to_enable(scene: Scene) -> Places | None:
    """Connects the action output of an If block to an enable port."""
    made = _add_subsystem(scene, "EnablePort")
    if made is None:
        return None
    diagram, block, _ = made
    decision = diagram.add("If", IfExpression="u1 > 0", ShowElse="off")
    diagram.join(_add_constant(diagram), decision)
    line = add_line(diagram, (decision, "out", 1), (block, "enable", 1))
    return diagram.at(decision), diagram.at(block), diagram.at_line(line)


def add_enable_to_action(scene: Scene) -> Places | None:
    """Gives a subsystem an action port and an enable port."""
    made = _add_subsystem(scene, "ActionPort", "EnablePort")
    if made is None:
        return None
    diagram, block, inner = made
    decision = diagram.add("If", IfExpression="u1 > 0", ShowElse="off")
    diagram.join(_add_constant(diagram), decision)
    add_line(diagram, (decision, "out", 1), (block, "ifaction", 1))
    add_line(diagram, (_add_constant(diagram), "out", 1), (block, "enable", 1))
    return diagram.at(block), *(inner.at(item) for item in inner.blocks)


def put_state_in_triggered(scene: Scene) -> Places | None:
    """Puts a continuous state into a triggered subsystem."""
    made = _add_subsystem(scene, "TriggerPort", "Constant", "Integrator", "Terminator")
    if made is None:
        return None
    diagram, block, inner = made
    inner.join(inner.blocks[1], inner.blocks[2])
    inner.join(inner.blocks[2], inner.blocks[3])
    add_line(diagram, (_add_constant(diagram), "out", 1), (block, "trigger", 1))
    return inner.at(inner.blocks[2]), diagram.at(block)


def put_state_in_enabled(scene: Scene) -> Places | None:
    """Puts a continuous state into an enabled subsystem, under a solver with states."""
    if "Discrete" in str(scene.model.get("settings", {}).get("SolverName", "")):
        return None
    if "Discrete" in str(scene.model.get("settings", {}).get("Solver", "")):
        return None
    made = _add_subsystem(scene, "EnablePort", "Constant", "Integrator", "Terminator")
    if made is None:
        return None
    diagram, block, inner = made
    inner.join(inner.blocks[1], inner.blocks[2])
    inner.join(inner.blocks[2], inner.blocks[3])
    add_line(diagram, (_add_constant(diagram), "out", 1), (block, "enable", 1))
    return (inner.at(inner.blocks[2]),)


def connect_data_to_call(scene: Scene) -> Places | None:
    """Connects a number to a function-call port."""
    made = _add_subsystem(scene, "TriggerPort")
    if made is None:
        return None
    diagram, block, inner = made
    inner.blocks[0]["parameters"] = {"TriggerType": "function-call"}
    line = add_line(diagram, (_add_constant(diagram), "out", 1), (block, "trigger", 1))
    return diagram.at(block), diagram.at_line(line), inner.at(inner.blocks[0])


def connect_call_to_gain(scene: Scene) -> Places | None:
    """Connects a function call to a gain."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    caller = diagram.add("Reference")
    path = "simulink/Ports & Subsystems/Function-Call Generator"
    caller.update(source=path, linked=True, ports={"out": 1}, opaque="link")
    gain = diagram.add("Gain")
    line = diagram.join(caller, gain)
    return diagram.at(caller), diagram.at(gain), diagram.at_line(line)


def write_function_for_block(scene: Scene) -> Places | None:
    """Writes an expression for the operation of one block."""
    text = scene.pick(["abs(u)", "2*u", "sin(u)", "u(1)*u(2)", "sqrt(u)", "u^2", "u(1)+u(2)"])
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block = diagram.add("Fcn", Expr=text)
    diagram.join(diagram.add("Constant", Value="[1 2]" if "(2)" in text else "1"), block)
    return (diagram.at(block),)


def write_body_for_block(scene: Scene) -> Places | None:
    """Writes a MATLAB Function for the operation of one block."""
    bodies = ("y = abs(u);", "y = 3 * u;", "y = sin(u);", "y = max(min(u, 1), -1);", "y = u^2;")
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block = diagram.add("SubSystem", SFBlockType="MATLAB Function")
    block.update(opaque="function", ports={"in": 1, "out": 1})
    code = f"function y = f(u)\n%#codegen\n{scene.pick(list(bodies))}\n"
    names = next(path for route, path, _ in systems(scene.model) if route == diagram.route)
    path = " ".join(block_path((*names, block["name"])).split())
    scene.model["functions"] = scene.model.get("functions", {}) | {path: code}
    diagram.join(_add_constant(diagram), block)
    diagram.join(block, diagram.add("Terminator"))
    return (diagram.at(block),)


def negate_gate(scene: Scene) -> Places | None:
    """Negates a gate with a second gate."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    gate = diagram.add("Logic", Operator=scene.pick(["AND", "OR", "XOR"]), Inputs="2")
    negation = diagram.add("Logic", Operator="NOT")
    for port in (1, 2):
        diagram.join(_add_constant(diagram), gate, port)
    diagram.join(gate, negation)
    diagram.join(negation, diagram.add("Terminator"))
    return diagram.at(gate), diagram.at(negation)


def build_exclusive_or(scene: Scene) -> Places | None:
    """Builds an exclusive or from three gates."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    first, second = _add_constant(diagram), _add_constant(diagram)
    gates = [diagram.add("Logic", Operator=item, Inputs="2") for item in ("OR", "NAND", "AND")]
    for gate in gates[:2]:
        diagram.join(first, gate, 1)
        diagram.join(second, gate, 2)
    diagram.join(gates[0], gates[2], 1)
    diagram.join(gates[1], gates[2], 2)
    diagram.join(gates[2], diagram.add("Terminator"))
    return tuple(diagram.at(item) for item in gates)


def add_newer_block(scene: Scene) -> Places | None:
    """Puts a newer block into a file of an old release."""
    diagram = pick_diagram(scene)
    release = scene.model.get("release", "")
    if diagram is None or not release:
        return None
    scene.model["release"] = "R2012b"
    block = diagram.add("StringConstant", String='"on"')
    diagram.join(block, diagram.add("Terminator"))
    return (diagram.at(block),)


def link_wrong_category(scene: Scene) -> Places | None:
    """Links a block of a shipped library through the wrong category."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block = diagram.add("Reference")
    path = scene.pick(
        [
            "simulink/Math Operations/Saturation Dynamic",
            "simulink/Discrete/Compare To Constant",
            "simulink/Continuous/Ramp",
            "fl_lib/Electrical/Electrical Sources/Resistor",
        ]
    )
    block.update(source=path, linked=True, opaque="link")
    return (diagram.at(block),)


def link_missing_block(scene: Scene) -> Places | None:
    """Links a block that never existed in a library of MathWorks."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block = diagram.add("Reference")
    path = scene.pick(
        [
            "simulink/Math Operations/Smart Gain",
            "simulink/Continuous/Neural Controller",
            "fl_lib/Electrical/Electrical Elements/Memristor Bank",
        ]
    )
    block.update(source=path, linked=True, opaque="link")
    return (diagram.at(block),)
