"""Injects faults in the sources and destinations of lines into a model; returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import ONE_TO_ONE, Diagram, Scene, is_active
from grounded_builder.domains.simulink.read.document import ends


def _find_ends(scene: Scene, types: frozenset[str]) -> list[tuple[Diagram, Any, Any, Any]]:
    """Returns the lines into blocks of these types, as diagram, line, end and block."""
    return [
        (diagram, line, end, block)
        for diagram in scene.diagrams
        for block in diagram.of(*types)
        if is_active(block)
        for line, end in diagram.list_incoming_lines(block)
    ]


def drive_input_twice(scene: Scene) -> Places | None:
    """Connects a second line to an input."""
    results = _find_ends(scene, ONE_TO_ONE)
    if not results:
        return None
    diagram, line, end, block = scene.pick(results)
    source = diagram.add("Ground")
    second = diagram.join(source, block, end["index"])
    return diagram.at_line(line), diagram.at_line(second), diagram.at(block)


def exceed_inputs(scene: Scene) -> Places | None:
    """Connects a line to an input that the block does not have."""
    results = _find_ends(scene, ONE_TO_ONE)
    if not results:
        return None
    diagram, line, end, block = scene.pick(results)
    end["index"] = scene.pick([2, 3, 7])
    return diagram.at_line(line), diagram.at(block)


def exceed_outputs(scene: Scene) -> Places | None:
    """Connects a line to an output that the block does not have."""
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


def connect_to_nothing(scene: Scene) -> Places | None:
    """Connects a line to a block that does not exist."""
    diagrams = [(d, line) for d in scene.diagrams for line in d.signals()]
    if not diagrams:
        return None
    diagram, line = scene.pick(diagrams)
    end = next((end for _, end in ends(line, ()) if end is not None), None)
    if not isinstance(end, dict):
        return None
    end["block"] = "987654"
    return (diagram.at_line(line),)


def connect_to_output(scene: Scene) -> Places | None:
    """Connects a line from an output to another output."""
    results = _find_ends(scene, ONE_TO_ONE)
    if not results:
        return None
    diagram, line, end, block = scene.pick(results)
    end["kind"] = "out"
    return diagram.at_line(line), diagram.at(block)


def leave_input_open(scene: Scene) -> Places | None:
    """Removes the line into a block."""
    results = [end for end in _find_ends(scene, ONE_TO_ONE) if end[1].get("to") is end[2]]
    if not results:
        return None
    diagram, line, _, block = scene.pick(results)
    diagram.lines.remove(line)
    return (diagram.at(block),)


def close_algebraic_loop(scene: Scene) -> Places | None:
    """Adds the output of a gain to its own input."""
    results = _find_ends(scene, frozenset({"Gain", "Abs", "Bias", "UnaryMinus"}))
    if not results:
        return None
    diagram, _, end, block = scene.pick(results)
    total = diagram.add("Sum", Inputs="++")
    end["block"], end["index"] = total["sid"], 1
    diagram.join(total, block)
    back = diagram.join(block, total, 2)
    return diagram.at(block), diagram.at(total), diagram.at_line(back)


def select_missing_in_bus(scene: Scene) -> Places | None:
    """Selects a signal that the bus does not have."""
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
