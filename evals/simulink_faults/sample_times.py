"""Injects faults in sample times and types, and harmless look-alikes, into a model (second set)."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Diagram, Scene, is_active
from evals.simulink_faults.sizes import feed_inputs

_CONTINUOUS = ("Integrator", "TransferFcn", "StateSpace", "ZeroPole", "Derivative")


def _choose_rated(scene: Scene, *types: str) -> tuple[Diagram, dict[str, Any]] | None:
    """A block outside of subsystems that run when they are told to."""
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


def negative_rate(scene: Scene) -> Places | None:
    """A delay has a negative sample time."""
    chosen = _choose_rated(scene, "UnitDelay", "ZeroOrderHold", "DiscreteIntegrator")
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["SampleTime"] = "-0.5"
    return (diagram.at(block),)


def rate_between_steps(scene: Scene) -> Places | None:
    """A delay runs at one and a half steps of a solver of fixed steps."""
    return _between_steps(scene, "0.01")


def _between_steps(scene: Scene, step: str) -> Places | None:
    """A delay at 0.015 s under a solver of this fixed step."""
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


def rates_joined(scene: Scene) -> Places | None:
    """Signals of two rates meet where each rate is a task of its own."""
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


def _of_type(scene: Scene, kind: str) -> Places | None:
    chosen = _choose_rated(scene, *_CONTINUOUS)
    overriding = scene.model.get("settings", {}).get("DataTypeOverride", "UseLocalSettings")
    if chosen is None or (kind != "boolean" and overriding != "UseLocalSettings"):
        return None  # a model that makes all numbers double knows no integers
    diagram, block = chosen
    diagram.free(block)
    source = diagram.add("DataTypeConversion", OutDataTypeStr=kind)
    diagram.join(diagram.add("Constant", Value="1"), source)
    line = diagram.join(source, block)
    return diagram.at(block), diagram.at_line(line)


def boolean_integrated(scene: Scene) -> Places | None:
    """A logical signal is integrated or differentiated."""
    return _of_type(scene, "boolean")


def integer_integrated(scene: Scene) -> Places | None:
    """An integer signal is integrated or differentiated."""
    return _of_type(scene, "int16")


def types_into_one(scene: Scene) -> Places | None:
    """A type comes through a delay to a comparison that takes one type only."""
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


def unknown_length(scene: Scene) -> Places | None:
    """What a variable holds is added to three numbers."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None or chosen[1].get("parameters", {}).get("Inputs", "").strip("|") != "++":
        return None
    return feed_inputs(*chosen, "some_variable", "[1 2 3]")


def one_and_many(scene: Scene) -> Places | None:
    """One number is added to three, and to a column of three."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None or chosen[1].get("parameters", {}).get("Inputs", "").strip("|") != "++":
        return None
    return feed_inputs(*chosen, scene.pick(["1", "[1;2;3]"]), "[1 2 3]")


def unknown_system(scene: Scene) -> Places | None:
    """The matrices of a system are variables."""
    chosen = _choose_rated(scene, *_CONTINUOUS)
    if chosen is None:
        return None
    diagram, _ = chosen
    space = diagram.add("StateSpace", A="A", B="B", C="C", D="0")
    return feed_inputs(diagram, space, "[1 2 3]")


def unknown_step(scene: Scene) -> Places | None:
    """A rate meets a step that Simulink chooses, in a model that needs no other solver."""
    if scene.blocks(*_CONTINUOUS, "SecondOrderIntegrator"):
        return None
    return _between_steps(scene, "auto")


def types_mixed(scene: Scene) -> Places | None:
    """Numbers of two types are added where the file does not ask for one."""
    chosen = _choose_rated(scene, "Sum")
    if chosen is None or chosen[1].get("parameters", {}).get("Inputs", "").strip("|") != "++":
        return None
    diagram, block = chosen
    block["parameters"] |= {"InputSameDT": "off", "OutDataTypeStr": "double"}
    diagram.free(block)
    diagram.join(diagram.add("Constant", Value="1", OutDataTypeStr="int8"), block, 1)
    diagram.join(diagram.add("Constant", Value="1", OutDataTypeStr="double"), block, 2)
    return (diagram.at(block),)


def limits_by_variable(scene: Scene) -> Places | None:
    """One limit is a variable."""
    chosen = _choose_rated(scene, "Saturate")
    if chosen is None:
        return None
    diagram, block = chosen
    block["parameters"] = {"UpperLimit": "-2", "LowerLimit": "lowest"}
    return (diagram.at(block),)
