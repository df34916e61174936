"""Injects parameter texts that MATLAB cannot evaluate to a valid value into a model."""

from __future__ import annotations

from evals.simulink_faults.fault import Places
from evals.simulink_faults.fault_places import pick_diagram, pick_running_block
from evals.simulink_faults.scene import Scene

_VALUES = {"Gain": "Gain", "Constant": "Value", "Bias": "Bias", "UnitDelay": "SampleTime"}
# Parameters with a number of ports, by BlockType.
_COUNTS = {"Mux": "Inputs", "Demux": "Outputs", "Logic": "Inputs", "MinMax": "Inputs"}
# On/off parameters by BlockType, and parameters whose choices have long been stable.
_SWITCHES = {
    "Sum": "SaturateOnIntegerOverflow",
    "Product": "SaturateOnIntegerOverflow",
    "Integrator": "LimitOutput",
    "Gain": "SaturateOnIntegerOverflow",
    "Switch": "ZeroCross",
}
_CHOICES = {
    "Sum": ("IconShape", "triangular"),
    "Integrator": ("ExternalReset", "upwards"),
    "TriggerPort": ("TriggerType", "upward edge"),
    "Switch": ("Criteria", "u2 is large"),
    "EnablePort": ("StatesWhenEnabling", "keep"),
    "Goto": ("TagVisibility", "everywhere"),
    "Outport": ("OutputWhenDisabled", "zero"),
    "Rounding": ("Operator", "rint"),
}


def _set_value(scene: Scene, *texts: str) -> Places | None:
    chosen = pick_running_block(scene, "Gain", "Constant", "Bias")
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})[_VALUES[block["type"]]] = scene.pick(list(texts))
    return (diagram.at(block),)


def write_unit_in_value(scene: Scene) -> Places | None:
    """Writes a number with its unit."""
    return _set_value(scene, "10 Hz", "5kOhm", "20ms", "3.3 V", "90deg", "1 uF")


def write_ragged_rows(scene: Scene) -> Places | None:
    """Writes a matrix with rows of different lengths."""
    return _set_value(scene, "[1 2; 3]", "[1 2 3; 4 5]", "[1;2 3]")


def multiply_wrong_dimensions(scene: Scene) -> Places | None:
    """Multiplies two rows as matrices, or adds rows of different lengths."""
    return _set_value(scene, "[1 2]*[3 4]", "[1 2 3]+[1 2]", "[1 2]^2")


def empty_value_of_block(scene: Scene) -> Places | None:
    """Removes a required value."""
    return _set_value(scene, "", " ")


def write_text_for_number(scene: Scene) -> Places | None:
    """Writes a quoted text as a gain."""
    chosen = pick_running_block(scene, "Gain")
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["Gain"] = "'fast'"
    return (diagram.at(block),)


def write_number_in_words(scene: Scene) -> Places | None:
    """Writes a number in words."""
    return _set_value(scene, "twenty five", "one hundred", "minus two")


def set_unknown_signs(scene: Scene) -> Places | None:
    """Sets a multiplication sign in a sum, or a minus sign in a product."""
    chosen = pick_running_block(scene, "Sum", "Product")
    if chosen is None:
        return None
    diagram, block = chosen
    signs = {"Sum": ("+*", "++x", "+/-"), "Product": ("*-", "**+", "*x")}[block["type"]]
    block.setdefault("parameters", {})["Inputs"] = scene.pick(list(signs))
    return (diagram.at(block),)


def set_impossible_count(scene: Scene) -> Places | None:
    """Sets a number of ports that is below one or not an integer."""
    chosen = pick_running_block(scene, *_COUNTS)
    if chosen is None:
        return None
    diagram, block = chosen
    if block["type"] == "Logic":
        block.setdefault("parameters", {})["Operator"] = "AND"
    block.setdefault("parameters", {})[_COUNTS[block["type"]]] = scene.pick(["0", "-2", "2.5"])
    return (diagram.at(block),)


def set_unknown_switch(scene: Scene) -> Places | None:
    """Sets an on/off parameter to another value."""
    chosen = pick_running_block(scene, *_SWITCHES)
    if chosen is None:
        return None
    diagram, block = chosen
    text = scene.pick(["yes", "enabled", "maybe"])
    block.setdefault("parameters", {})[_SWITCHES[block["type"]]] = text
    return (diagram.at(block),)


def set_unknown_choice(scene: Scene) -> Places | None:
    """Sets a choice that does not exist and resembles no other."""
    chosen = pick_running_block(scene, *_CHOICES)
    if chosen is None:
        return None
    diagram, block = chosen
    name, text = _CHOICES[block["type"]]
    block.setdefault("parameters", {})[name] = text
    return (diagram.at(block),)


def set_impossible_port_number(scene: Scene) -> Places | None:
    """Sets an impossible port number."""
    chosen = pick_running_block(scene, "Inport", "Outport")
    if chosen is None or "element" in chosen[1]:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["Port"] = scene.pick(["0", "-1", "1.5", "first"])
    return (diagram.at(block),)


def set_parameter_of_another(scene: Scene) -> Places | None:
    """Sets an amplitude on a gain or sum."""
    chosen = pick_running_block(scene, "Gain", "Sum")
    if chosen is None:
        return None
    diagram, block = chosen
    block.setdefault("parameters", {})["Amplitude"] = "2"
    return (diagram.at(block),)


def empty_unused_constant(scene: Scene) -> Places | None:
    """Sets an empty constant that is not used, which only Simulink can judge."""
    diagram = pick_diagram(scene)
    if diagram is None:
        return None
    source = diagram.add("Constant", Value="[]")
    diagram.join(source, diagram.add("Terminator"))
    return (diagram.at(source),)


def reuse_name_in_other_case(scene: Scene) -> Places | None:
    """Adds a block whose name differs in case only, which is allowed."""
    chosen = pick_running_block(scene, "Gain", "Sum", "Constant", "Product")
    if chosen is None:
        return None
    diagram, block = chosen
    other = diagram.add("Ground")
    other["name"] = block["name"].swapcase()
    diagram.join(other, diagram.add("Terminator"))
    return None if other["name"] == block["name"] else (diagram.at(other),)


def set_number_word(scene: Scene) -> Places | None:
    """Sets a value to a number word, which may be the name of a variable."""
    return _set_value(scene, "five", "ten", "half")
