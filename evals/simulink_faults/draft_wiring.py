"""Injects mistakes in ids, inputs, ports and networks into a plan; returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.drafts import Draft, Mistake
from grounded_builder.diagnostics import Route

Places = tuple[Route, ...]


def name_missing_output(draft: Draft) -> Places | None:
    """Names an output that the block does not have."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "output": "velocity"}))


def exceed_outputs(draft: Draft) -> Places | None:
    """Uses the fourth output of a block with one output."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "output": 4}))


def name_missing_input(draft: Draft) -> Places | None:
    """Names an input that the block does not have."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "input": "setpoint"}))


def exceed_inputs(draft: Draft) -> Places | None:
    """Uses the third input of a gain."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "input": 3}))


def connect_sink_output(draft: Draft) -> Places | None:
    """Connects the output of a scope or another sink."""
    results = draft.of("Scope", "Display", "Terminator", "To Workspace")
    if not results:
        return None
    sink = draft.pick(results)
    step = draft.add("Gain", sink["id"])
    return draft.at(step, sink)


def connect_source_input(draft: Draft) -> Places | None:
    """Connects a signal to a source."""
    results = draft.of("Constant", "Sine Wave", "Step", "Ramp", "Pulse Generator")
    source = draft.signal()
    if not results or source is None:
        return None
    step = draft.pick(results)
    if step["id"] == source:
        return None
    step["inputs"] = [{"from": source, "back": True}]
    return draft.at(step)


def connect_gains_in_loop(draft: Draft) -> Places | None:
    """Connects two gains and a sum in a loop."""
    source = draft.signal()
    if source is None:
        return None
    total = draft.add("Sum", source, {"from": "echo", "back": True}, Inputs="++")
    first = draft.add("Gain", total["id"], Gain="0.5")
    second = draft.add("Gain", first["id"], Gain="0.5")
    second["id"] = "echo"
    return draft.at(total, first, second)


def connect_missing_step(draft: Draft) -> Places | None:
    """Connects an input to a step that does not exist."""
    return draft.at(draft.add("Gain", "the_plant"))


def duplicate_id(draft: Draft) -> Places | None:
    """Gives two steps the same id."""
    source = draft.signal()
    if source is None:
        return None
    first, second = draft.add("Gain", source), draft.add("Abs", source)
    second["id"] = first["id"]
    return draft.at(first, second)


def connect_gain_to_itself(draft: Draft) -> Places | None:
    """Connects the output of a gain to its own input."""
    step = draft.add("Gain", Gain="0.5")
    step["inputs"] = [step["id"]]
    return draft.at(step)


def connect_two_to_one_input(draft: Draft) -> Places | None:
    """Connects two signals to one input."""
    source = draft.signal()
    if source is None:
        return None
    other = draft.add("Constant", Value="3")["id"]
    return draft.at(draft.add("Gain", {"from": source, "input": 1}, {"from": other, "input": 1}))


def connect_two_to_gain(draft: Draft) -> Places | None:
    """Connects two signals to a gain."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", source, draft.add("Constant", Value="3")["id"]))


def write_inputs_by_name(draft: Draft) -> Places | None:
    """Writes inputs as an object."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add("Gain")
    step["inputs"] = {"u": source}
    return draft.at(step)


def write_parameters_as_list(draft: Draft) -> Places | None:
    """Writes parameters as a list."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add("Gain", source)
    step["params"] = [{"name": "Gain", "value": "2"}]
    return draft.at(step)


def write_step_as_text(draft: Draft) -> Places | None:
    """Writes a step as a string."""
    steps: list[Any] = draft.steps
    steps.append("Scope")
    return (("steps", len(steps) - 1),)


def nest_in_each_other(draft: Draft) -> Places | None:
    """Puts two subsystems inside each other."""
    first, second = draft.add("Subsystem"), draft.add("Subsystem")
    first["in"], second["in"] = second["id"], first["id"]
    return draft.at(first, second)


def exceed_subsystem_outputs(draft: Draft) -> Places | None:
    """Uses the third output of a subsystem with one output."""
    source = draft.signal()
    if source is None:
        return None
    box = draft.add("Subsystem", source)
    inner = draft.add("Gain", Gain="2")
    inner["in"] = box["id"]
    port = draft.add("In1")
    port["in"] = box["id"]
    out = draft.add("Out1", inner["id"])
    out["in"] = box["id"]
    inner["inputs"] = [port["id"]]
    step = draft.add("Terminator", {"from": box["id"], "output": 3})
    return draft.at(box, step)


def connect_physical_to_scope(draft: Draft) -> Places | None:
    """Connects a physical element to a scope."""
    results = draft.of("Resistor", "Capacitor", "Inductor", "Mass")
    if not results:
        return None
    element = draft.pick(results)
    step = draft.add("Scope", element["id"])
    return draft.at(step, element)


def connect_signal_to_physical(draft: Draft) -> Places | None:
    """Connects a signal to a physical element."""
    results = draft.of("Resistor", "Capacitor", "Inductor", "Mass")
    if not results:
        return None
    element = draft.pick(results)
    source = draft.add("Sine Wave")
    element["inputs"] = [*element.get("inputs", []), {"from": source["id"], "input": "LConn1"}]
    return draft.at(source, element)


def connect_electrical_to_shaft(draft: Draft) -> Places | None:
    """Connects an electrical node to a shaft."""
    results = draft.of("Electrical Reference")
    if not results:
        return None
    ground = draft.pick(results)
    wire = {"from": ground["id"], "output": "LConn1", "input": "LConn1"}
    step = draft.add("fl_lib/Mechanical/Rotational Elements/Inertia", wire)
    return draft.at(step, ground)


def _remove_steps(draft: Draft, *names: str) -> list[dict[str, Any]]:
    """Removes the steps with these blocks and their connections; returns the remaining steps."""
    results = {item["id"] for item in draft.of(*names)}
    draft.plan["steps"] = [item for item in draft.steps if item["id"] not in results]
    for step in draft.steps:
        inputs = [
            input_
            for input_ in step.get("inputs", [])
            if (input_ if isinstance(input_, str) else input_["from"]) not in results
        ]
        if "inputs" in step:
            step["inputs"] = inputs
    return draft.steps if results else []


def remove_solver(draft: Draft) -> Places | None:
    """Removes the Solver Configuration of a network."""
    return draft.at(*_remove_steps(draft, "Solver Configuration")) or None


def remove_reference(draft: Draft) -> Places | None:
    """Removes the reference of a circuit."""
    if any("Mechanical" in step["tool"] for step in draft.steps):
        return None
    return draft.at(*_remove_steps(draft, "Electrical Reference")) or None


def add_second_solver(draft: Draft) -> Places | None:
    """Adds a second Solver Configuration to a network."""
    results = draft.of("Solver Configuration")
    if not results:
        return None
    solver = draft.pick(results)
    wire = {"from": solver["id"], "output": "RConn1", "input": "RConn1"}
    return draft.at(solver, draft.add("Solver Configuration", wire))


def add_different_lengths(draft: Draft) -> Places | None:
    """Adds vectors of two and of three elements."""
    first, second = draft.add("Constant", Value="[1 2]"), draft.add("Constant", Value="[1 2 3]")
    total = draft.add("Sum", first["id"], second["id"], Inputs="++")
    draft.add("Terminator", total["id"])
    return draft.at(first, second, total)


def select_missing_in_bus(draft: Draft) -> Places | None:
    """Selects a signal that the bus does not have."""
    source = draft.signal()
    if source is None:
        return None
    bus = draft.add(
        "Bus Creator",
        {"from": source, "signal": "speed"},
        {"from": source, "signal": "torque"},
        Inputs="2",
    )
    step = draft.add("Bus Selector", bus["id"], OutputSignals="angle")
    draft.add("Terminator", step["id"])
    return draft.at(bus, step)


def leave_input_open(draft: Draft) -> Places | None:
    """Leaves an input of a sum unconnected."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add("Sum", {"from": source, "input": 2}, Inputs="+-")
    draft.add("Terminator", step["id"])
    return draft.at(step)


WIRING_MISTAKES: tuple[Mistake, ...] = (
    Mistake("output-of-none", name_missing_output),
    Mistake("output-four-of-one", exceed_outputs),
    Mistake("input-of-none", name_missing_input),
    Mistake("input-three-of-one", exceed_inputs),
    Mistake("out-of-a-sink", connect_sink_output),
    Mistake("into-a-source", connect_source_input),
    Mistake("circle-of-gains", connect_gains_in_loop, "reported"),
    Mistake("absent-step", connect_missing_step),
    Mistake("same-id", duplicate_id),
    Mistake("into-itself", connect_gain_to_itself, "reported"),
    Mistake("two-into-one", connect_two_to_one_input),
    Mistake("two-into-a-gain", connect_two_to_gain),
    Mistake("inputs-by-name", write_inputs_by_name, "noted"),
    Mistake("parameters-as-list", write_parameters_as_list, "noted"),
    Mistake("step-as-text", write_step_as_text, "noted"),
    Mistake("inside-each-other", nest_in_each_other),
    Mistake("beyond-a-subsystem", exceed_subsystem_outputs),
    Mistake("physical-to-scope", connect_physical_to_scope),
    Mistake("sine-to-physical", connect_signal_to_physical),
    Mistake("electrical-to-shaft", connect_electrical_to_shaft),
    Mistake("network-without-solver", remove_solver),
    Mistake("circuit-without-reference", remove_reference, "reported"),
    Mistake("network-with-two-solvers", add_second_solver),
    Mistake("vectors-of-two-lengths", add_different_lengths),
    Mistake("absent-in-a-bus", select_missing_in_bus),
    Mistake("open-input", leave_input_open, "reported"),
)
