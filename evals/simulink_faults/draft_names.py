"""Injects slips in block names, parameters and values into a plan, and returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.drafts import Draft, Slip
from grounded_builder.diagnostics import Route

Places = tuple[Route, ...]


def _gain(draft: Draft, **params: Any) -> Places | None:
    """A gain behind a signal of the draft."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", source, **params))


def _end_draft(draft: Draft, tool: str, *, lines: int = 1, **params: Any) -> Places | None:
    """A block behind so many lines of one signal of the draft, whose own signal ends."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add(tool, *[source] * lines, **params)
    draft.add("Terminator", step["id"])
    return draft.at(step)


def invented_block(draft: Draft) -> Places | None:
    """There is no such block."""
    step = draft.pick(draft.steps)
    step["tool"] = draft.pick(
        ["Adaptive Neural Compensator", "simulink/Control/Smart Regulator", "Quantum Filter"]
    )
    return draft.at(step)


def other_category(draft: Draft) -> Places | None:
    """A path names the block in a category where it is not."""
    steps = [item for item in draft.steps if item["tool"].startswith("simulink/")]
    if not steps:
        return None
    step = draft.pick(steps)
    step["tool"] = f"simulink/Commonly Found Blocks/{step['tool'].split('/')[-1]}"
    return draft.at(step)


def other_library(draft: Draft) -> Places | None:
    """A path begins with a library that does not exist."""
    steps = [item for item in draft.steps if item["tool"].startswith("simulink/")]
    if not steps:
        return None
    step = draft.pick(steps)
    step["tool"] = f"control_blocks/{step['tool'].split('/')[-1]}"
    return draft.at(step)


def no_block(draft: Draft) -> Places | None:
    """A step names no block."""
    step = draft.pick(draft.steps)
    step["tool"] = draft.pick(["", None])
    return draft.at(step)


def unit_in_number(draft: Draft) -> Places | None:
    """A number bears its unit."""
    return _gain(draft, Gain=draft.pick(["10 Hz", "5kOhm", "20ms", "3.3 V", "45 deg"]))


def number_in_words(draft: Draft) -> Places | None:
    """A number is written in words."""
    return _gain(draft, Gain=draft.pick(["five hundred", "minus two", "twenty five"]))


def value_with_its_unit(draft: Draft) -> Places | None:
    """A value is an object with its unit."""
    return _gain(draft, Gain={"value": 5, "unit": "rad/s"})


def nothing_for_number(draft: Draft) -> Places | None:
    """A number is null."""
    return _gain(draft, Gain=None)


def truth_for_number(draft: Draft) -> Places | None:
    """A number is true."""
    return _gain(draft, Gain=True)


def parameter_of_another(draft: Draft) -> Places | None:
    """A gain has the time constant of a filter."""
    return _gain(draft, Gain="2", TimeConstant="0.5")


def unit_in_name(draft: Draft) -> Places | None:
    """A parameter's name bears its unit."""
    step = draft.add("Sine Wave", **{"Frequency (Hz)": "50"})
    draft.add("Terminator", step["id"])
    return draft.at(step)


def option_outside(draft: Draft) -> Places | None:
    """An operator that the block does not have."""
    return _end_draft(draft, "Relational Operator", lines=2, Operator="bigger than")


def switch_outside(draft: Draft) -> Places | None:
    """What is on or off is maybe."""
    return _gain(draft, Gain="2", SaturateOnIntegerOverflow="maybe")


def code_in_value(draft: Draft) -> Places | None:
    """A value runs a program."""
    return _gain(draft, Gain=draft.pick(["system('ls')", "evalin('base','k')", "!ls"]))


def callback_set(draft: Draft) -> Places | None:
    """A step sets a callback."""
    return _gain(draft, Gain="2", InitFcn="k = 5;")


def ragged_matrix(draft: Draft) -> Places | None:
    """The rows of a matrix are of two lengths."""
    return _gain(draft, Gain="[1 2; 3]")


def polynomial_in_s(draft: Draft) -> Places | None:
    """A polynomial is written as one, not by its coefficients."""
    return _end_draft(draft, "Transfer Fcn", Numerator="[1]", Denominator="s^2 + 2*s + 1")


def whole_function_in_numerator(draft: Draft) -> Places | None:
    """A transfer function stands where its numerator should."""
    return _end_draft(draft, "Transfer Fcn", Numerator="tf([1],[1 2 1])")


def improper_transfer(draft: Draft) -> Places | None:
    """The upper polynomial is of a higher order."""
    return _end_draft(draft, "Transfer Fcn", Numerator="[1 2 3]", Denominator="[1 1]")


def limits_crossed(draft: Draft) -> Places | None:
    """The upper limit lies below the lower one."""
    return _end_draft(draft, "Saturation", UpperLimit="-1", LowerLimit="1")


def negative_rate(draft: Draft) -> Places | None:
    """A sample time is negative."""
    return _end_draft(draft, "Zero-Order Hold", SampleTime="-3")


def negative_resistance(draft: Draft) -> Places | None:
    """A resistor is negative."""
    results = draft.of("Resistor")
    if not results:
        return None
    step = draft.pick(results)
    step["params"] = {"R": "-100"}
    return draft.at(step)


def signs_of_two(draft: Draft) -> Places | None:
    """A sum has two signs and three inputs."""
    return _end_draft(draft, "Sum", lines=3, Inputs="+-")


def mux_of_two(draft: Draft) -> Places | None:
    """A Mux of two has three inputs."""
    return _end_draft(draft, "Mux", lines=3, Inputs="2")


def from_without_goto(draft: Draft) -> Places | None:
    """A tag is read that nobody writes."""
    step = draft.add("From", GotoTag="nobody_writes_this")
    draft.add("Terminator", step["id"])
    return draft.at(step)


def other_release(draft: Draft) -> Places | None:
    """A block is newer than the release that is asked for."""
    draft.plan["constraints"] = {"release": "R2012b"}
    return draft.at(draft.add("String Constant"))


def other_product(draft: Draft) -> Places | None:
    """A block belongs to a product that is not there."""
    steps = [step for step in draft.steps if step["tool"].startswith(("fl_lib/", "ee_lib/"))]
    if not steps:
        return None
    draft.plan["constraints"] = {"products": ["Simulink"]}
    return draft.at(draft.pick(steps))


def variable_for_number(draft: Draft) -> Places | None:
    """A gain is a variable of the workspace."""
    return _gain(draft, Gain="Kp")


SLIPS: tuple[Slip, ...] = (
    Slip("invented-block", invented_block),
    Slip("other-category", other_category, "noted"),
    Slip("other-library", other_library, "noted"),
    Slip("no-block", no_block),
    Slip("unit-in-number", unit_in_number),
    Slip("number-in-words", number_in_words),
    Slip("value-with-its-unit", value_with_its_unit, "reported"),
    Slip("nothing-for-number", nothing_for_number, "noted"),
    Slip("truth-for-number", truth_for_number, "reported"),
    Slip("parameter-of-another-block", parameter_of_another, "reported"),
    Slip("unit-in-name", unit_in_name, "noted"),
    Slip("option-that-is-none", option_outside),
    Slip("switch-that-is-none", switch_outside),
    Slip("code-in-value", code_in_value),
    Slip("callback-set", callback_set),
    Slip("ragged-matrix", ragged_matrix),
    Slip("polynomial-in-s", polynomial_in_s, "noted"),
    Slip("system-for-numerator", whole_function_in_numerator),
    Slip("orders-swapped", improper_transfer),
    Slip("limits-swapped", limits_crossed),
    Slip("rate-below-zero", negative_rate),
    Slip("resistance-below-zero", negative_resistance, "reported"),
    Slip("signs-of-two", signs_of_two, "reported"),
    Slip("mux-of-two", mux_of_two, "reported"),
    Slip("tag-that-nobody-writes", from_without_goto, "reported"),
    Slip("other-release", other_release),
    Slip("other-product", other_product),
    Slip("variable-for-number", variable_for_number, "open"),
)
