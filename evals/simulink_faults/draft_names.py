"""Injects mistakes in block names, parameters and values into a plan; returns their places."""

from __future__ import annotations

from typing import Any

from evals.simulink_faults.drafts import Draft, Mistake
from grounded_builder.diagnostics import Route

Places = tuple[Route, ...]


def _add_gain(draft: Draft, **params: Any) -> Places | None:
    """Adds a gain after a signal of the draft."""
    source = draft.signal()
    if source is None:
        return None
    return draft.at(draft.add("Gain", source, **params))


def _add_ended_block(draft: Draft, tool: str, *, lines: int = 1, **params: Any) -> Places | None:
    """Adds a block with ``lines`` inputs from one signal of the draft, followed by a terminator."""
    source = draft.signal()
    if source is None:
        return None
    step = draft.add(tool, *[source] * lines, **params)
    draft.add("Terminator", step["id"])
    return draft.at(step)


def invent_block(draft: Draft) -> Places | None:
    """Names a block that does not exist."""
    step = draft.pick(draft.steps)
    step["tool"] = draft.pick(
        ["Adaptive Neural Compensator", "simulink/Control/Smart Regulator", "Quantum Filter"]
    )
    return draft.at(step)


def use_other_category(draft: Draft) -> Places | None:
    """Names a block with a path through the wrong category."""
    steps = [item for item in draft.steps if item["tool"].startswith("simulink/")]
    if not steps:
        return None
    step = draft.pick(steps)
    step["tool"] = f"simulink/Commonly Found Blocks/{step['tool'].split('/')[-1]}"
    return draft.at(step)


def use_other_library(draft: Draft) -> Places | None:
    """Names a block with a path that starts with an unknown library."""
    steps = [item for item in draft.steps if item["tool"].startswith("simulink/")]
    if not steps:
        return None
    step = draft.pick(steps)
    step["tool"] = f"control_blocks/{step['tool'].split('/')[-1]}"
    return draft.at(step)


def remove_block_name(draft: Draft) -> Places | None:
    """Removes the block name of a step."""
    step = draft.pick(draft.steps)
    step["tool"] = draft.pick(["", None])
    return draft.at(step)


def write_unit_in_number(draft: Draft) -> Places | None:
    """Writes a number with its unit."""
    return _add_gain(draft, Gain=draft.pick(["10 Hz", "5kOhm", "20ms", "3.3 V", "45 deg"]))


def write_number_in_words(draft: Draft) -> Places | None:
    """Writes a number in words."""
    return _add_gain(draft, Gain=draft.pick(["five hundred", "minus two", "twenty five"]))


def write_value_with_unit(draft: Draft) -> Places | None:
    """Writes a value as an object with its unit."""
    return _add_gain(draft, Gain={"value": 5, "unit": "rad/s"})


def write_null_for_number(draft: Draft) -> Places | None:
    """Writes null for a number."""
    return _add_gain(draft, Gain=None)


def write_true_for_number(draft: Draft) -> Places | None:
    """Writes true for a number."""
    return _add_gain(draft, Gain=True)


def set_parameter_of_another(draft: Draft) -> Places | None:
    """Gives a gain the time constant of a filter."""
    return _add_gain(draft, Gain="2", TimeConstant="0.5")


def write_unit_in_name(draft: Draft) -> Places | None:
    """Writes a unit into the name of a parameter."""
    step = draft.add("Sine Wave", **{"Frequency (Hz)": "50"})
    draft.add("Terminator", step["id"])
    return draft.at(step)


def set_unknown_option(draft: Draft) -> Places | None:
    """Sets an operator that the block does not have."""
    return _add_ended_block(draft, "Relational Operator", lines=2, Operator="bigger than")


def set_unknown_switch(draft: Draft) -> Places | None:
    """Sets an on/off parameter to another value."""
    return _add_gain(draft, Gain="2", SaturateOnIntegerOverflow="maybe")


def write_code_in_value(draft: Draft) -> Places | None:
    """Writes a value that runs a program."""
    return _add_gain(draft, Gain=draft.pick(["system('ls')", "evalin('base','k')", "!ls"]))


def set_callback(draft: Draft) -> Places | None:
    """Sets a callback."""
    return _add_gain(draft, Gain="2", InitFcn="k = 5;")


def write_ragged_matrix(draft: Draft) -> Places | None:
    """Writes a matrix with rows of different lengths."""
    return _add_gain(draft, Gain="[1 2; 3]")


def write_polynomial_in_s(draft: Draft) -> Places | None:
    """Writes a polynomial in s instead of its coefficients."""
    return _add_ended_block(draft, "Transfer Fcn", Numerator="[1]", Denominator="s^2 + 2*s + 1")


def write_function_in_numerator(draft: Draft) -> Places | None:
    """Writes a transfer function in place of its numerator."""
    return _add_ended_block(draft, "Transfer Fcn", Numerator="tf([1],[1 2 1])")


def raise_numerator_order(draft: Draft) -> Places | None:
    """Makes the order of the numerator higher than that of the denominator."""
    return _add_ended_block(draft, "Transfer Fcn", Numerator="[1 2 3]", Denominator="[1 1]")


def cross_limits(draft: Draft) -> Places | None:
    """Sets an upper limit below the lower one."""
    return _add_ended_block(draft, "Saturation", UpperLimit="-1", LowerLimit="1")


def set_negative_rate(draft: Draft) -> Places | None:
    """Sets a negative sample time."""
    return _add_ended_block(draft, "Zero-Order Hold", SampleTime="-3")


def set_negative_resistance(draft: Draft) -> Places | None:
    """Sets a negative resistance."""
    results = draft.of("Resistor")
    if not results:
        return None
    step = draft.pick(results)
    step["params"] = {"R": "-100"}
    return draft.at(step)


def connect_three_to_two_signs(draft: Draft) -> Places | None:
    """Connects three inputs to a sum with two signs."""
    return _add_ended_block(draft, "Sum", lines=3, Inputs="+-")


def connect_three_to_mux_of_two(draft: Draft) -> Places | None:
    """Connects three inputs to a Mux of two."""
    return _add_ended_block(draft, "Mux", lines=3, Inputs="2")


def read_unwritten_tag(draft: Draft) -> Places | None:
    """Reads a tag that no block writes."""
    step = draft.add("From", GotoTag="nobody_writes_this")
    draft.add("Terminator", step["id"])
    return draft.at(step)


def require_old_release(draft: Draft) -> Places | None:
    """Uses a block that is newer than the requested release."""
    draft.plan["constraints"] = {"release": "R2012b"}
    return draft.at(draft.add("String Constant"))


def exclude_product(draft: Draft) -> Places | None:
    """Uses a block of a product that is not available."""
    steps = [step for step in draft.steps if step["tool"].startswith(("fl_lib/", "ee_lib/"))]
    if not steps:
        return None
    draft.plan["constraints"] = {"products": ["Simulink"]}
    return draft.at(draft.pick(steps))


def set_variable_for_number(draft: Draft) -> Places | None:
    """Sets a gain to a workspace variable."""
    return _add_gain(draft, Gain="Kp")


NAME_MISTAKES: tuple[Mistake, ...] = (
    Mistake("invented-block", invent_block),
    Mistake("other-category", use_other_category, "noted"),
    Mistake("other-library", use_other_library, "noted"),
    Mistake("no-block", remove_block_name),
    Mistake("unit-in-number", write_unit_in_number),
    Mistake("number-in-words", write_number_in_words),
    Mistake("value-with-its-unit", write_value_with_unit, "reported"),
    Mistake("nothing-for-number", write_null_for_number, "noted"),
    Mistake("truth-for-number", write_true_for_number, "reported"),
    Mistake("parameter-of-another-block", set_parameter_of_another, "reported"),
    Mistake("unit-in-name", write_unit_in_name, "noted"),
    Mistake("option-that-is-none", set_unknown_option),
    Mistake("switch-that-is-none", set_unknown_switch),
    Mistake("code-in-value", write_code_in_value),
    Mistake("callback-set", set_callback),
    Mistake("ragged-matrix", write_ragged_matrix),
    Mistake("polynomial-in-s", write_polynomial_in_s, "noted"),
    Mistake("system-for-numerator", write_function_in_numerator),
    Mistake("orders-swapped", raise_numerator_order),
    Mistake("limits-swapped", cross_limits),
    Mistake("rate-below-zero", set_negative_rate),
    Mistake("resistance-below-zero", set_negative_resistance, "reported"),
    Mistake("signs-of-two", connect_three_to_two_signs, "reported"),
    Mistake("mux-of-two", connect_three_to_mux_of_two, "reported"),
    Mistake("tag-that-nobody-writes", read_unwritten_tag, "reported"),
    Mistake("other-release", require_old_release),
    Mistake("other-product", exclude_product),
    Mistake("variable-for-number", set_variable_for_number, "open"),
)
