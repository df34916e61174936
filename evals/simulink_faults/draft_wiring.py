"""Injects slips in ids, inputs, ports and networks into a plan, and returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.drafts import Draft, Slip
from grounded_builder.diagnostics import Route

Places = tuple[Route, ...]


def output_of_none(draft: Draft) -> Places | None:
    """An output is named that the block does not have."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "output": "velocity"}))


def output_beyond(draft: Draft) -> Places | None:
    """The fourth output of a block with one is used."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "output": 4}))


def input_of_none(draft: Draft) -> Places | None:
    """An input is named that the block does not have."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "input": "setpoint"}))


def input_beyond(draft: Draft) -> Places | None:
    """The third input of a gain is used."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", {"from": source, "input": 3}))


def out_of_sink(draft: Draft) -> Places | None:
    """A signal comes out of a scope."""
    results = draft.of("Scope", "Display", "Terminator", "To Workspace")
    if not results:
        return None
    sink = draft.pick(results)
    step = draft.add("Gain", sink["id"])
    return draft.at(step, sink)


def into_source(draft: Draft) -> Places | None:
    """A signal goes into a source."""
    results = draft.of("Constant", "Sine Wave", "Step", "Ramp", "Pulse Generator")
    source = draft.signal()
    if not results or source is None:
        return None
    step = draft.pick(results)
    if step["id"] == source:
        return None
    step["inputs"] = [{"from": source, "back": True}]
    return draft.at(step)


def circle_of_gains(draft: Draft) -> Places | None:
    """Two gains and a sum lead into each other."""
    source = draft.signal()
    if source is None:
        return None
    total = draft.add("Sum", source, {"from": "echo", "back": True}, Inputs="++")
    first = draft.add("Gain", total["id"], Gain="0.5")
    second = draft.add("Gain", first["id"], Gain="0.5")
    second["id"] = "echo"
    return draft.at(total, first, second)


def absent_step(draft: Draft) -> Places | None:
    """An input comes from a step that is not there."""
    return draft.at(draft.add("Gain", "the_plant"))


def same_id(draft: Draft) -> Places | None:
    """Two steps have one id."""
    source = draft.signal()
    if source is None:
        return None
    first, second = draft.add("Gain", source), draft.add("Abs", source)
    second["id"] = first["id"]
    return draft.at(first, second)


def into_itself(draft: Draft) -> Places | None:
    """A gain multiplies its own output."""
    step = draft.add("Gain", Gain="0.5")
    step["inputs"] = [step["id"]]
    return draft.at(step)


def two_into_one(draft: Draft) -> Places | None:
    """Two signals arrive at one input."""
    source = draft.signal()
    if source is None:
        return None
    other = draft.add("Constant", Value="3")["id"]
    return draft.at(draft.add("Gain", {"from": source, "input": 1}, {"from": other, "input": 1}))


def two_into_gain(draft: Draft) -> Places | None:
    """A gain has two inputs."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", source, draft.add("Constant", Value="3")["id"]))


def inputs_by_name(draft: Draft) -> Places | None:
    """Inputs are an object."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add("Gain")
    step["inputs"] = {"u": source}
    return draft.at(step)


def parameters_as_list(draft: Draft) -> Places | None:
    """Parameters are a list."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add("Gain", source)
    step["params"] = [{"name": "Gain", "value": "2"}]
    return draft.at(step)


def step_as_text(draft: Draft) -> Places | None:
    """A step is a text."""
    steps: list[Any] = draft.steps
    steps.append("Scope")
    return (("steps", len(steps) - 1),)


def inside_each_other(draft: Draft) -> Places | None:
    """Two subsystems lie in each other."""
    first, second = draft.add("Subsystem"), draft.add("Subsystem")
    first["in"], second["in"] = second["id"], first["id"]
    return draft.at(first, second)


def beyond_a_subsystem(draft: Draft) -> Places | None:
    """The third output of a subsystem with one is used."""
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


def physical_to_scope(draft: Draft) -> Places | None:
    """A resistor is led into a scope."""
    results = draft.of("Resistor", "Capacitor", "Inductor", "Mass")
    if not results:
        return None
    element = draft.pick(results)
    step = draft.add("Scope", element["id"])
    return draft.at(step, element)


def signal_to_physical(draft: Draft) -> Places | None:
    """A sine is led into a resistor."""
    results = draft.of("Resistor", "Capacitor", "Inductor", "Mass")
    if not results:
        return None
    element = draft.pick(results)
    source = draft.add("Sine Wave")
    element["inputs"] = [*element.get("inputs", []), {"from": source["id"], "input": "LConn1"}]
    return draft.at(source, element)


def electrical_to_shaft(draft: Draft) -> Places | None:
    """An electrical node is joined to a shaft."""
    results = draft.of("Electrical Reference")
    if not results:
        return None
    ground = draft.pick(results)
    wire = {"from": ground["id"], "output": "LConn1", "input": "LConn1"}
    step = draft.add("fl_lib/Mechanical/Rotational Elements/Inertia", wire)
    return draft.at(step, ground)


def _without(draft: Draft, *names: str) -> list[dict[str, Any]]:
    """Take out the steps of these blocks and what leads from them; the steps that are left."""
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


def no_solver(draft: Draft) -> Places | None:
    """A network has no Solver Configuration."""
    return draft.at(*_without(draft, "Solver Configuration")) or None


def no_reference(draft: Draft) -> Places | None:
    """A circuit has no reference."""
    if any("Mechanical" in step["tool"] for step in draft.steps):
        return None
    return draft.at(*_without(draft, "Electrical Reference")) or None


def two_solvers(draft: Draft) -> Places | None:
    """A network has two Solver Configurations."""
    results = draft.of("Solver Configuration")
    if not results:
        return None
    solver = draft.pick(results)
    wire = {"from": solver["id"], "output": "RConn1", "input": "RConn1"}
    return draft.at(solver, draft.add("Solver Configuration", wire))


def lengths_differ(draft: Draft) -> Places | None:
    """Vectors of two and of three elements are added."""
    first, second = draft.add("Constant", Value="[1 2]"), draft.add("Constant", Value="[1 2 3]")
    total = draft.add("Sum", first["id"], second["id"], Inputs="++")
    draft.add("Terminator", total["id"])
    return draft.at(first, second, total)


def absent_in_bus(draft: Draft) -> Places | None:
    """A signal is selected that the bus does not have."""
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


def open_input(draft: Draft) -> Places | None:
    """A sum of two gets one signal."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add("Sum", {"from": source, "input": 2}, Inputs="+-")
    draft.add("Terminator", step["id"])
    return draft.at(step)


WIRES: tuple[Slip, ...] = (
    Slip("output-of-none", output_of_none),
    Slip("output-four-of-one", output_beyond),
    Slip("input-of-none", input_of_none),
    Slip("input-three-of-one", input_beyond),
    Slip("out-of-a-sink", out_of_sink),
    Slip("into-a-source", into_source),
    Slip("circle-of-gains", circle_of_gains, "reported"),
    Slip("absent-step", absent_step),
    Slip("same-id", same_id),
    Slip("into-itself", into_itself, "reported"),
    Slip("two-into-one", two_into_one),
    Slip("two-into-a-gain", two_into_gain),
    Slip("inputs-by-name", inputs_by_name, "noted"),
    Slip("parameters-as-list", parameters_as_list, "noted"),
    Slip("step-as-text", step_as_text, "noted"),
    Slip("inside-each-other", inside_each_other),
    Slip("beyond-a-subsystem", beyond_a_subsystem),
    Slip("physical-to-scope", physical_to_scope),
    Slip("sine-to-physical", signal_to_physical),
    Slip("electrical-to-shaft", electrical_to_shaft),
    Slip("network-without-solver", no_solver),
    Slip("circuit-without-reference", no_reference, "reported"),
    Slip("network-with-two-solvers", two_solvers),
    Slip("vectors-of-two-lengths", lengths_differ),
    Slip("absent-in-a-bus", absent_in_bus),
    Slip("open-input", open_input, "reported"),
)
