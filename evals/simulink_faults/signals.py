"""Injects faults in lengths, types, rates and tags of signals into a model; returns places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene, is_active


def _find_sums(scene: Scene) -> list[tuple[Diagram, dict[str, Any]]]:
    """Returns the active sums whose parameters have two signs."""
    return [
        (diagram, block)
        for diagram, block in scene.blocks("Sum")
        if block.get("parameters", {}).get("Inputs", "").strip("|") in ("++", "+-", "-+")
        and is_active(block)
    ]


def add_different_lengths(scene: Scene) -> Places | None:
    """Adds vectors of two and of three elements."""
    sums = _find_sums(scene)
    if not sums:
        return None
    diagram, block = scene.pick(sums)
    diagram.free(block)
    first, second = diagram.add("Constant", Value="[1 2]"), diagram.add("Constant", Value="[1 2 3]")
    lines = diagram.join(first, block, 1), diagram.join(second, block, 2)
    return diagram.at(block), *(diagram.at_line(line) for line in lines)


def add_different_types(scene: Scene) -> Places | None:
    """Connects numbers of two types to a block that requires one type."""
    sums = _find_sums(scene)
    if not sums:
        return None
    diagram, block = scene.pick(sums)
    diagram.free(block)
    block["parameters"]["InputSameDT"] = "on"
    first = diagram.add("Constant", Value="1", OutDataTypeStr="int8")
    second = diagram.add("Constant", Value="1", OutDataTypeStr="uint16")
    lines = diagram.join(first, block, 1), diagram.join(second, block, 2)
    return diagram.at(block), *(diagram.at_line(line) for line in lines)


def set_rate_in_triggered(scene: Scene) -> Places | None:
    """Sets the sample time of a block in a triggered subsystem."""
    subsystems = [
        (inner, block)
        for _, _, inner in scene.subsystems()
        if inner.of("TriggerPort")
        for block in inner.of("Gain", "Sum", "Product", "UnitDelay", "Switch", "Logic")
        if is_active(block)
    ]
    if not subsystems:
        return None
    diagram, block = scene.pick(subsystems)
    block.setdefault("parameters", {})["SampleTime"] = "0.25"
    return diagram.at(block), diagram.route[:-1]


def read_unwritten_tag(scene: Scene) -> Places | None:
    """Reads a tag that no block writes."""
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks("From")
        if scene.whole and is_active(block)
    ]
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    block.setdefault("parameters", {})["GotoTag"] = "nobody_writes_this"
    return (diagram.at(block),)


def duplicate_goto(scene: Scene) -> Places | None:
    """Writes the same tag with two blocks of one diagram."""
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks("Goto")
        if block.get("parameters", {}).get("TagVisibility", "local") == "local" and is_active(block)
    ]
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    tag = block.get("parameters", {}).get("GotoTag", "A")
    second = diagram.add("Goto", GotoTag=tag)
    diagram.join(diagram.add("Ground"), second)
    return diagram.at(block), diagram.at(second)
