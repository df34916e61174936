"""Injects signal sizes that contradict, or that a block refuses, into a model (second set)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene, is_active

# Blocks whose output has the size of their input, with the parameter that must be scalar for that.
_KEEPING = {
    "Abs": "",
    "Bias": "Bias",
    "Gain": "Gain",
    "Saturate": "",
    "UnaryMinus": "",
    "UnitDelay": "",
    "ZeroOrderHold": "",
}


def feed_inputs(diagram: Diagram, block: dict[str, Any], *values: str) -> Places:
    """Connects constants to the inputs of a block; returns the places of block and lines."""
    diagram.free(block)
    lines = [
        diagram.join(diagram.add("Constant", Value=value), block, port)
        for port, value in enumerate(values, 1)
    ]
    return diagram.at(block), *(diagram.at_line(line) for line in lines)


def _pick_block(
    scene: Scene, *types: str, where: Callable[[dict[str, str]], bool] = lambda _: True
) -> tuple[Diagram, dict[str, Any]] | None:
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks(*types)
        if is_active(block) and where(block.get("parameters", {}))
    ]
    return scene.pick(blocks) if blocks else None


def differ_after_block(scene: Scene) -> Places | None:
    """Adds a vector of two, passed through a block that keeps its size, to one of three."""
    chosen = _pick_block(scene, *_KEEPING)
    if chosen is None:
        return None
    diagram, block = chosen
    name = _KEEPING[block["type"]]
    block["parameters"] = {name: "2"} if name else {}
    first = feed_inputs(diagram, block, "[1 2]")
    total = diagram.add("Sum", Inputs="++")
    second = feed_inputs(diagram, total, "0", "[1 2 3]")
    diagram.lines.pop(-2)
    diagram.join(block, total, 1)
    return *first, *second[:1]


def differ_across_border(scene: Scene) -> Places | None:
    """Adds a vector of two to one of three inside a subsystem."""
    subsystems = [
        subsystem
        for subsystem in scene.subsystems()
        if subsystem[2].of("Inport") and not subsystem[1].get("parameters")
    ]
    if not subsystems:
        return None
    outer, block, inner = scene.pick(subsystems)
    number = 1 + max(int(b.get("parameters", {}).get("Port", "1")) for b in inner.of("Inport"))
    port = inner.add("Inport", Port=str(number))
    total = inner.add("Sum", Inputs="++")
    inner.join(port, total, 1)
    inner.join(inner.add("Constant", Value="[1 2 3]"), total, 2)
    source = outer.add("Constant", Value="[1 2]")
    source["sid"] = "990001"  # unique in the model, not only in one diagram
    line = outer.join(source, block, number)
    return inner.at(total), outer.at_line(line)


def differ_through_tag(scene: Scene) -> Places | None:
    """Adds a vector of two, passed through a tag, to one of three."""
    chosen = _pick_block(scene, "Sum", where=lambda p: p.get("Inputs", "").strip("|") == "++")
    if chosen is None:
        return None
    diagram, block = chosen
    diagram.free(block)
    diagram.join(
        diagram.add("Constant", Value="[1 2]"), diagram.add("Goto", GotoTag="injected_tag")
    )
    diagram.join(diagram.add("From", GotoTag="injected_tag"), block, 1)
    diagram.join(diagram.add("Constant", Value="[1 2 3]"), block, 2)
    return (diagram.at(block),)


def differ_after_mux(scene: Scene) -> Places | None:
    """Compares the output of a Mux with a vector that is longer by one."""
    chosen = _pick_block(scene, "Mux", where=lambda p: p.get("Inputs", "").isdigit())
    if chosen is None:
        return None
    diagram, block = chosen
    count = int(block["parameters"]["Inputs"])
    places = feed_inputs(diagram, block, *("1" for _ in range(count)))
    compare = diagram.add("RelationalOperator", Operator="<=")
    diagram.join(block, compare, 1)
    diagram.join(diagram.add("Constant", Value=f"ones(1,{count + 1})"), compare, 2)
    return *places[:1], diagram.at(compare)


def differ_into_switch(scene: Scene) -> Places | None:
    """Connects two and three elements to the data inputs of a switch."""
    chosen = _pick_block(
        scene,
        "Switch",
        where=lambda p: p.get("AllowDiffInputSizes", "off") == "off",
    )
    if chosen is None:
        return None
    diagram, block = chosen
    return feed_inputs(diagram, block, "[1 2]", "1", "[1 2 3]")


def differ_into_min_max(scene: Scene) -> Places | None:
    """Connects two and three elements to a minimum or maximum."""
    chosen = _pick_block(scene, "MinMax", where=lambda p: p.get("Inputs") == "2")
    return feed_inputs(*chosen, "[1 2]", "[4 5 6]") if chosen is not None else None


def differ_into_logic(scene: Scene) -> Places | None:
    """Connects two and three elements to a gate."""
    chosen = _pick_block(
        scene,
        "Logic",
        where=lambda p: p.get("Operator") in ("AND", "OR", "XOR") and p.get("Inputs", "2") == "2",
    )
    return feed_inputs(*chosen, "[1 0]", "[1 0 1]") if chosen is not None else None


def exceed_demux_elements(scene: Scene) -> Places | None:
    """Connects a Demux to a signal with fewer elements than it has outputs."""
    chosen = _pick_block(
        scene,
        "Demux",
        where=lambda p: (
            p.get("Outputs", "").isdigit() and int(p["Outputs"]) > 1 and len(p.keys()) <= 2
        ),
    )
    if chosen is None:
        return None
    diagram, block = chosen
    return feed_inputs(diagram, block, f"ones(1,{int(block['parameters']['Outputs']) - 1})")


def set_wrong_demux_lengths(scene: Scene) -> Places | None:
    """Sets output lengths of a Demux that do not add up to the length of its input."""
    chosen = _pick_block(
        scene, "Demux", where=lambda p: p.get("Outputs", "").isdigit() and int(p["Outputs"]) > 1
    )
    if chosen is None:
        return None
    diagram, block = chosen
    count = int(block["parameters"]["Outputs"])
    block["parameters"]["Outputs"] = "[" + " ".join("2" for _ in range(count)) + "]"
    return feed_inputs(diagram, block, f"ones(1,{2 * count + 1})")


def multiply_wrong_inner_sizes(scene: Scene) -> Places | None:
    """Multiplies two matrices of two rows and three columns."""
    chosen = _pick_block(scene, "Product", where=lambda p: p.get("Inputs", "2") in ("2", "**"))
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["Multiplication"] = "Matrix(*)"
    return feed_inputs(diagram, block, "ones(2,3)", "ones(2,3)")


def multiply_by_wrong_matrix(scene: Scene) -> Places | None:
    """Multiplies a matrix of three columns by a vector of two."""
    chosen = _pick_block(scene, "Gain")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"Gain": "ones(2,3)", "Multiplication": "Matrix(K*u)"}
    return feed_inputs(diagram, block, "[1 2]")


def multiply_by_wrong_vector(scene: Scene) -> Places | None:
    """Multiplies three numbers by a vector of two, element by element."""
    chosen = _pick_block(scene, "Gain")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"Gain": "[1 2 3]", "Multiplication": "Element-wise(K.*u)"}
    return feed_inputs(diagram, block, "[1 2]")


def select_missing_element(scene: Scene) -> Places | None:
    """Selects the fifth of three elements."""
    chosen = _pick_block(scene, "Selector")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {
        "IndexOptions": "Index vector (dialog)",
        "Indices": "[1 5]",
        "OutputSizes": "1",
        "InputPortWidth": "3",
    }
    return feed_inputs(diagram, block, "[1 2 3]")


def concatenate_different_heights(scene: Scene) -> Places | None:
    """Concatenates matrices of two and three rows side by side."""
    chosen = _pick_block(scene, "Concatenate", where=lambda p: p.get("NumInputs", "2") == "2")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"Mode": "Multidimensional array", "ConcatenateDimension": "2"}
    return feed_inputs(diagram, block, "ones(2,2)", "ones(3,2)")


def reshape_to_more(scene: Scene) -> Places | None:
    """Reshapes three elements into two rows and two columns."""
    chosen = _pick_block(scene, "Reshape")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"OutputDimensionality": "Customize", "OutputDimensions": "[2,2]"}
    return feed_inputs(diagram, block, "[1 2 3]")


def set_wrong_initial_length(scene: Scene) -> Places | None:
    """Sets three initial values of an integrator that integrates two."""
    chosen = _pick_block(
        scene,
        "Integrator",
        where=lambda p: (
            p.get("InitialConditionSource", "internal") == "internal"
            and p.get("ExternalReset", "none") == "none"
        ),
    )
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["InitialCondition"] = "[0 0 0]"
    return feed_inputs(diagram, block, "[1 2]")


def feed_wrong_state_space(scene: Scene) -> Places | None:
    """Connects three signals to a system of two inputs."""
    chosen = _pick_block(scene, "StateSpace", "Integrator")
    if chosen is None:
        return None
    diagram, block = chosen
    space = diagram.add("StateSpace", A="-1", B="[1 2]", C="1", D="[0 0]")
    del block
    return feed_inputs(diagram, space, "[1 2 3]")
