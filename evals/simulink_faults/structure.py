"""Injects faults in subsystems and their ports into a model, and returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene
from grounded_builder.domains.simulink.read.document import ends


def duplicate_port_number(scene: Scene) -> Places | None:
    """Gives two inputs of a subsystem the same number."""
    subsystems = [
        (block, outer, inner)
        for outer, block, inner in scene.subsystems()
        if _has_two_inputs(inner)
    ]
    if not subsystems:
        return None
    block, outer, inner = scene.pick(subsystems)
    first, second = scene.chance.sample(inner.of("Inport"), 2)
    second.setdefault("parameters", {})["Port"] = first.get("parameters", {}).get("Port", "1")
    return inner.at(first), inner.at(second), outer.at(block)


def _has_two_inputs(inner: Diagram) -> bool:
    """Checks whether there are two inputs, each a separate port and not part of one bus."""
    shared = any("element" in block for block in inner.of("Inport"))
    return len(inner.of("Inport")) > 1 and not inner.of("InportShadow") and not shared


def remove_inport(scene: Scene) -> Places | None:
    """Removes the input of a subsystem at which a line ends."""
    subsystems = [
        (outer, block, inner, line)
        for outer, block, inner in scene.subsystems()
        if inner.of("Inport")
        for line, end in outer.list_incoming_lines(block)
        if end["index"] == len(inner.of("Inport"))
    ]
    if not subsystems:
        return None
    outer, block, inner, line = scene.pick(subsystems)
    _remove_last(inner, "Inport")
    return outer.at_line(line), outer.at(block)


def remove_outport(scene: Scene) -> Places | None:
    """Removes the output of a subsystem from which a line starts."""
    subsystems = [
        (outer, block, inner, line)
        for outer, block, inner in scene.subsystems()
        if inner.of("Outport")
        for line in outer.signals()
        if line["from"]
        == {"block": block["sid"], "kind": "out", "index": _count_ports(inner, "Outport")}
    ]
    if not subsystems:
        return None
    outer, block, inner, line = scene.pick(subsystems)
    _remove_last(inner, "Outport")
    return outer.at_line(line), outer.at(block)


def _count_ports(inner: Diagram, kind: str) -> int:
    return len(inner.of(kind))


def _remove_last(inner: Diagram, kind: str) -> None:
    """Removes the port with the highest number, and its shadows."""
    last = max(inner.of(kind), key=_port_number)
    shadows = [
        b
        for b in inner.of("InportShadow")
        if kind == "Inport" and _port_number(b) == _port_number(last)
    ]
    for block in (last, *shadows):
        inner.remove(block)


def _port_number(block: dict[str, Any]) -> int:
    return int(block.get("parameters", {}).get("Port", "1"))


def add_second_enable(scene: Scene) -> Places | None:
    """Adds a second enable port to a subsystem."""
    subsystems = [
        (outer, block, inner)
        for outer, block, inner in scene.subsystems()
        if not inner.of("ActionPort", "ForEach", "WhileIterator", "ForIterator")
    ]
    if not subsystems:
        return None
    outer, block, inner = scene.pick(subsystems)
    first = inner.add("EnablePort") if not inner.of("EnablePort") else inner.of("EnablePort")[0]
    second = inner.add("EnablePort")
    return inner.at(first), inner.at(second), outer.at(block)


def remove_enable(scene: Scene) -> Places | None:
    """Removes an enable port at which a line ends."""
    subsystems = [
        (outer, block, inner, line)
        for outer, block, inner in scene.subsystems()
        if len(inner.of("EnablePort")) == 1
        for line, _ in outer.list_incoming_lines(block, "enable")
    ]
    if not subsystems:
        return None
    outer, block, inner, line = scene.pick(subsystems)
    inner.remove(inner.of("EnablePort")[0])
    return outer.at_line(line), outer.at(block)


def connect_signal_to_action(scene: Scene) -> Places | None:
    """Connects a data signal to the action port of a subsystem."""
    subsystems = [
        (outer, block, line)
        for outer, block, inner in scene.subsystems()
        if inner.of("ActionPort")
        for line, _ in outer.list_incoming_lines(block, "ifaction")
        if sum(1 for _ in ends(line, ())) == 1
    ]
    if not subsystems:
        return None
    outer, block, line = scene.pick(subsystems)
    source = outer.add("Constant", Value="1")
    line["from"] = {"block": source["sid"], "kind": "out", "index": 1}
    return outer.at_line(line), outer.at(block)
