"""Injects faults in the sources and destinations of lines into a model; returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import ONE_TO_ONE, Diagram, Scene, is_active
from grounded_builder.domains.simulink.read.document import ends


def _ends_at(scene: Scene, types: frozenset[str]) -> list[tuple[Diagram, Any, Any, Any]]:
    """Lines into blocks of these types: diagram, line, end, block."""
    return [
        (diagram, line, end, block)
        for diagram in scene.diagrams
        for block in diagram.of(*types)
        if is_active(block)
        for line, end in diagram.list_incoming_lines(block)
    ]


def input_twice(scene: Scene) -> Places | None:
    """A second line arrives at an input."""
    results = _ends_at(scene, ONE_TO_ONE)
    if not results:
        return None
    diagram, line, end, block = scene.pick(results)
    source = diagram.add("Ground")
    second = diagram.join(source, block, end["index"])
    return diagram.at_line(line), diagram.at_line(second), diagram.at(block)


def input_beyond(scene: Scene) -> Places | None:
    """A line arrives at an input that the block does not have."""
    results = _ends_at(scene, ONE_TO_ONE)
    if not results:
        return None
    diagram, line, end, block = scene.pick(results)
    end["index"] = scene.pick([2, 3, 7])
    return diagram.at_line(line), diagram.at(block)


def output_beyond(scene: Scene) -> Places | None:
    """A line leaves an output that the block does not have."""
    diagrams = [
        (diagram, line, block)
        for diagram in scene.diagrams
        for line in diagram.signals()
        if (block := diagram.find_block(line["from"]["block"]))
        in diagram.of(*ONE_TO_ONE, "Constant")
    ]
    if not diagrams:
        return None
    diagram, line, block = scene.pick(diagrams)
    line["from"]["index"] = scene.pick([2, 5])
    return diagram.at_line(line), diagram.at(block)


def line_to_nothing(scene: Scene) -> Places | None:
    """A line arrives at a block that is not there."""
    diagrams = [(d, line) for d in scene.diagrams for line in d.signals()]
    if not diagrams:
        return None
    diagram, line = scene.pick(diagrams)
    end = next((end for _, end in ends(line, ()) if end is not None), None)
    if not isinstance(end, dict):
        return None
    end["block"] = "987654"
    return (diagram.at_line(line),)


def line_into_output(scene: Scene) -> Places | None:
    """A line joins two outputs."""
    results = _ends_at(scene, ONE_TO_ONE)
    if not results:
        return None
    diagram, line, end, block = scene.pick(results)
    end["kind"] = "out"
    return diagram.at_line(line), diagram.at(block)


def unconnected_input(scene: Scene) -> Places | None:
    """The line into a block is missing."""
    results = [end for end in _ends_at(scene, ONE_TO_ONE) if end[1].get("to") is end[2]]
    if not results:
        return None
    diagram, line, _, block = scene.pick(results)
    diagram.lines.remove(line)
    return (diagram.at(block),)


def algebraic_loop(scene: Scene) -> Places | None:
    """The output of a gain is added to its own input."""
    results = _ends_at(scene, frozenset({"Gain", "Abs", "Bias", "UnaryMinus"}))
    if not results:
        return None
    diagram, _, end, block = scene.pick(results)
    total = diagram.add("Sum", Inputs="++")
    end["block"], end["index"] = total["sid"], 1
    diagram.join(total, block)
    back = diagram.join(block, total, 2)
    return diagram.at(block), diagram.at(total), diagram.at_line(back)


def absent_bus_signal(scene: Scene) -> Places | None:
    """A signal is selected that the bus does not have."""
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks("BusSelector")
        if "." not in block.get("parameters", {}).get("OutputSignals", "")
        and any(
            (creator := diagram.find_block(line["from"]["block"])) is not None
            and creator["type"] == "BusCreator"
            for line, _ in diagram.list_incoming_lines(block)
        )
    ]
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    wanted = block["parameters"]["OutputSignals"].split(",")
    wanted[scene.chance.randrange(len(wanted))] = "nobody_made_this"
    block["parameters"]["OutputSignals"] = ",".join(wanted)
    return (diagram.at(block),)
