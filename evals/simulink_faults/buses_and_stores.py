"""Injects faults of buses, types, tags and stores into a model (third set); returns places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import add_subsystem, pick_diagram, pick_running_block
from evals.simulink_faults.scene import Diagram, Scene, is_active

_BITWISE = "simulink/Logic and Bit Operations/Bitwise Operator"


def _add_bus(diagram: Diagram, *names: str) -> dict[str, Any]:
    """Returns a new bus of constants with these names."""
    creator = diagram.add("BusCreator", Inputs=str(len(names)))
    for port, name in enumerate(names, start=1):
        diagram.join(diagram.add("Constant", Value="1"), creator, port)["name"] = name
    return creator


def select_from_plain_signal(scene: Scene) -> Places | None:
    """Selects signals from a signal that is not a bus."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    selector = diagram.add("BusSelector", OutputSignals="speed,torque")
    source = diagram.add("Gain")
    diagram.join(diagram.add("Constant", Value="1"), source)
    line = diagram.join(source, selector)
    return diagram.at(selector), diagram.at_line(line), diagram.at(source)


def select_former_name(scene: Scene) -> Places | None:
    """Selects a signal by its former name."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    selector = diagram.add("BusSelector", OutputSignals="speed,torque")
    creator = _add_bus(diagram, "speed", "moment")
    line = diagram.join(creator, selector)
    return diagram.at(selector), diagram.at(creator), diagram.at_line(line)


def select_missing_in_inner_bus(scene: Scene) -> Places | None:
    """Selects a missing signal from a nested bus inside a subsystem."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    outer = diagram.add("BusCreator", Inputs="2")
    diagram.join(_add_bus(diagram, "speed", "torque"), outer, 1)["name"] = "motor"
    diagram.join(diagram.add("Constant", Value="1"), outer, 2)["name"] = "limit"
    block, inner = add_subsystem(diagram, "Inport", "BusSelector")
    inner.blocks[1]["parameters"] = {"OutputSignals": "motor.angle"}
    inner.join(inner.blocks[0], inner.blocks[1])
    diagram.join(outer, block)
    return inner.at(inner.blocks[1]), diagram.at(outer)


def assign_missing_signal(scene: Scene) -> Places | None:
    """Assigns a signal that the bus does not have."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    block = diagram.add("BusAssignment", AssignedSignals="angle")
    diagram.join(_add_bus(diagram, "speed", "torque"), block, 1)
    diagram.join(diagram.add("Constant", Value="2"), block, 2)
    return (diagram.at(block),)


def select_by_number(scene: Scene) -> Places | None:
    """Selects a signal without a name by the name that Simulink gives it."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    creator = diagram.add("BusCreator", Inputs="2")
    diagram.join(diagram.add("Constant", Value="1"), creator, 1)
    diagram.join(diagram.add("Constant", Value="2"), creator, 2)
    selector = diagram.add("BusSelector", OutputSignals="signal2")
    diagram.join(creator, selector)
    return (diagram.at(selector),)


def combine_floating_bits(scene: Scene) -> Places | None:
    """Applies a bitwise operator to a floating-point number."""
    diagram = pick_diagram(scene)
    if diagram is None or _has_type_override(scene):
        return None
    block = diagram.add("Reference")
    block.update(source=_BITWISE, linked=True, ports={"in": 1, "out": 1}, opaque="link")
    line = diagram.join(diagram.add("Constant", Value="3", OutDataTypeStr="double"), block)
    return diagram.at(block), diagram.at_line(line)


def connect_text_to_gain(scene: Scene) -> Places | None:
    """Connects a string to a gain."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    gain, text = diagram.add("Gain"), diagram.add("StringConstant", String='"on"')
    line = diagram.join(text, gain)
    return diagram.at(gain), diagram.at(text), diagram.at_line(line)


def _has_type_override(scene: Scene) -> bool:
    settings = scene.model.get("settings", {})
    return bool(settings.get("DataTypeOverride", "UseLocalSettings") != "UseLocalSettings")


def read_local_tag_inside(scene: Scene) -> Places | None:
    """Reads a local tag inside a subsystem."""
    return _read_inside(scene, "local")


def read_global_tag_inside(scene: Scene) -> Places | None:
    """Reads a global tag inside a subsystem, which is correct."""
    return _read_inside(scene, "global")


def _read_inside(scene: Scene, visibility: str) -> Places | None:
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    goto = diagram.add("Goto", GotoTag="injected_far", TagVisibility=visibility)
    diagram.join(diagram.add("Constant", Value="1"), goto)
    _, inner = add_subsystem(diagram, "From", "Terminator")
    inner.blocks[0]["parameters"] = {"GotoTag": "injected_far"}
    inner.join(inner.blocks[0], inner.blocks[1])
    return (inner.at(inner.blocks[0]),)


def set_undefined_scope(scene: Scene) -> Places | None:
    """Gives a tag that is read in its own diagram a scope that no block defines."""
    chosen = pick_running_block(
        scene,
        "Goto",
        where=lambda p: p.get("TagVisibility", "local") == "local",
    )
    if chosen is None:
        return None
    diagram, block = chosen
    tag = block.get("parameters", {}).get("GotoTag", "A")
    readers = [
        item
        for item in diagram.of("From")
        if item.get("parameters", {}).get("GotoTag", "A") == tag and is_active(item)
    ]
    if not readers:
        return None
    block.setdefault("parameters", {})["TagVisibility"] = "scoped"
    return diagram.at(block), *(diagram.at(reader) for reader in readers)


def read_tag_in_other_case(scene: Scene) -> Places | None:
    """Reads a tag in capital letters."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    goto, reader = diagram.add("Goto", GotoTag="angle"), diagram.add("From", GotoTag="ANGLE")
    diagram.join(diagram.add("Constant", Value="1"), goto)
    diagram.join(reader, diagram.add("Terminator"))
    return diagram.at(goto), diagram.at(reader)


def read_undefined_store(scene: Scene) -> Places | None:
    """Reads a data store that no block of the model defines."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    reader = diagram.add("DataStoreRead", DataStoreName="nobody_keeps_this")
    diagram.join(reader, diagram.add("Terminator"))
    return (diagram.at(reader),)


def write_store_of_other_branch(scene: Scene) -> Places | None:
    """Writes a data store whose memory is in another subsystem."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    _, inner = add_subsystem(diagram, "DataStoreMemory")
    inner.blocks[0]["parameters"] = {"DataStoreName": "injected_store", "InitialValue": "0"}
    writer = diagram.add("DataStoreWrite", DataStoreName="injected_store")
    diagram.join(diagram.add("Constant", Value="1"), writer)
    return (diagram.at(writer),)
