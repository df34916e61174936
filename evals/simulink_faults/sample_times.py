"""Injects faults in sample times and types, and harmless look-alikes, into a model (second set)."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene, is_active
from evals.simulink_faults.sizes import feed_inputs

_CONTINUOUS = ("Integrator", "TransferFcn", "StateSpace", "ZeroPole", "Derivative")


def _choose_rated(scene: Scene, *types: str) -> tuple[Diagram, dict[str, Any]] | None:
    """Returns a random block outside of conditionally executed subsystems."""
    closed = tuple(
        inner.route
        for _, _, inner in scene.subsystems()
        if inner.of("TriggerPort", "EnablePort", "ActionPort", "ForEach", "WhileIterator")
    )
    blocks = [
        (diagram, block)
        for diagram, block in scene.blocks(*types)
        if is_active(block)
        and not any(diagram.route[: len(item)] == item for item in closed)
        and scene.whole
    ]
    return scene.pick(blocks) if blocks else None


def set_negative_rate(scene: Scene) -> Places | None:
    """Sets a negative sample time."""
    chosen = _choose_rated(scene, "UnitDelay", "ZeroOrderHold", "DiscreteIntegrator")
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["SampleTime"] = "-0.5"
    return (diagram.at(block),)


def set_rate_between_steps(scene: Scene) -> Places | None:
    """Sets a sample time of one and a half steps of a fixed-step solver."""
    return _set_rate_between_steps(scene, "0.01")


def _set_rate_between_steps(scene: Scene, step: str) -> Places | None:
    """Sets a sample time of 0.015 s under a solver with this fixed step."""
    chosen = _choose_rated(scene, "UnitDelay", "ZeroOrderHold", "DiscreteIntegrator", "Delay")
    if chosen is None:
        return None
    diagram, block = chosen
    scene.model["settings"] = scene.model.get("settings", {}) | {
        "Solver": "FixedStepDiscrete",
        "SolverName": "FixedStepDiscrete",
        "FixedStep": step,
    }
    block.setdefault("parameters", {})["SampleTime"] = "0.015"
    return (diagram.at(block),)


def join_rates(scene: Scene) -> Places | None:
    """Joins signals of two rates in a model that runs each rate as a task."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None:
        return None
    diagram, _ = chosen
    scene.model["settings"] = scene.model.get("settings", {}) | {
        "Solver": "FixedStepDiscrete",
        "SolverName": "FixedStepDiscrete",
        "FixedStep": "0.1",
        "EnableMultiTasking": "on",
        "SolverMode": "MultiTasking",
        "AutoInsertRateTranBlk": "off",
        "MultiTaskRateTransMsg": "error",
        "SampleTimeConstraint": "Unconstrained",
    }
    first = diagram.add("UnitDelay", SampleTime="0.2")
    second = diagram.add("Gain", SampleTime="0.5", Gain="2")
    diagram.join(diagram.add("Sin", SampleTime="0.2", SineType="Sample based"), first)
    line = diagram.join(first, second)
    diagram.join(second, diagram.add("Terminator"))
    return diagram.at(second), diagram.at(first), diagram.at_line(line)


def _connect_type(scene: Scene, kind: str) -> Places | None:
    chosen = _choose_rated(scene, *_CONTINUOUS)
    overriding = scene.model.get("settings", {}).get("DataTypeOverride", "UseLocalSettings")
    if chosen is None or (kind != "boolean" and overriding != "UseLocalSettings"):
        return None  # such a model converts all numbers to double, so it has no integers
    diagram, block = chosen
    diagram.free(block)
    source = diagram.add("DataTypeConversion", OutDataTypeStr=kind)
    diagram.join(diagram.add("Constant", Value="1"), source)
    line = diagram.join(source, block)
    return diagram.at(block), diagram.at_line(line)


def integrate_boolean(scene: Scene) -> Places | None:
    """Connects a boolean signal to an integrator or derivative."""
    return _connect_type(scene, "boolean")


def integrate_integer(scene: Scene) -> Places | None:
    """Connects an integer signal to an integrator or derivative."""
    return _connect_type(scene, "int16")


def compare_different_types(scene: Scene) -> Places | None:
    """Compares signals of two types, one through a delay, where both must have one type."""
    chosen = _choose_rated(scene, "RelationalOperator")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"Operator": "<=", "InputSameDT": "on"}
    diagram.free(block)
    delay = diagram.add("UnitDelay")
    diagram.join(diagram.add("Constant", Value="1", OutDataTypeStr="int8"), delay)
    diagram.join(delay, block, 1)
    diagram.join(diagram.add("Constant", Value="1", OutDataTypeStr="single"), block, 2)
    return (diagram.at(block),)


def add_unknown_length(scene: Scene) -> Places | None:
    """Adds a variable to three numbers."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None or chosen[1].get("parameters", {}).get("Inputs", "").strip("|") != "++":
        return None
    return feed_inputs(*chosen, "some_variable", "[1 2 3]")


def add_one_to_many(scene: Scene) -> Places | None:
    """Adds a number, or a column of three, to three numbers."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None or chosen[1].get("parameters", {}).get("Inputs", "").strip("|") != "++":
        return None
    return feed_inputs(*chosen, scene.pick(["1", "[1;2;3]"]), "[1 2 3]")


def use_unknown_system(scene: Scene) -> Places | None:
    """Sets the matrices of a system to variables."""
    chosen = _choose_rated(scene, *_CONTINUOUS)
    if chosen is None:
        return None
    diagram, _ = chosen
    space = diagram.add("StateSpace", A="A", B="B", C="C", D="0")
    return feed_inputs(diagram, space, "[1 2 3]")


def use_unknown_step(scene: Scene) -> Places | None:
    """Sets a sample time under an automatic step, in a model without continuous states."""
    if scene.blocks(*_CONTINUOUS, "SecondOrderIntegrator"):
        return None
    return _set_rate_between_steps(scene, "auto")


def mix_types(scene: Scene) -> Places | None:
    """Adds numbers of two types where the file does not require the same type."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None or chosen[1].get("parameters", {}).get("Inputs", "").strip("|") != "++":
        return None
    diagram, block = chosen
    block["parameters"] |= {"InputSameDT": "off", "OutDataTypeStr": "double"}
    diagram.free(block)
    diagram.join(diagram.add("Constant", Value="1", OutDataTypeStr="int8"), block, 1)
    diagram.join(diagram.add("Constant", Value="1", OutDataTypeStr="double"), block, 2)
    return (diagram.at(block),)


def set_limit_by_variable(scene: Scene) -> Places | None:
    """Sets one limit to a variable."""
    chosen = _choose_rated(scene, "Saturate")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"UpperLimit": "-2", "LowerLimit": "lowest"}
    return (diagram.at(block),)
