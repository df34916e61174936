"""Injects faults in names of blocks, types, library paths and values; returns their places."""

from __future__ import annotations

from evals.simulink_faults.fault import Places
from evals.simulink_faults.scene import Scene, is_active

_TYPES = ("Gain", "Constant", "Product", "Integrator", "Saturate", "UnitDelay", "Terminator", "Abs")
_LIBRARIES = ("simulink", "nesl_utility", "fl_lib")
# Operators that do not exist, by BlockType.
_OPERATORS = {
    "RelationalOperator": ("Operator", "=>"),
    "Logic": ("Operator", "NADN"),
    "Trigonometry": ("Operator", "sine"),
    "Math": ("Operator", "exponent"),
    "MinMax": ("Function", "minimum"),
}


def misspell_type(scene: Scene) -> Places | None:
    """Swaps two letters of a BlockType."""
    blocks = scene.blocks(*_TYPES)
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    kind = block["type"]
    at = scene.chance.randrange(1, len(kind) - 2)
    swapped = kind[:at] + kind[at + 1] + kind[at] + kind[at + 2 :]
    if swapped == kind:
        swapped = kind + "x"
    block["type"] = swapped
    return (diagram.at(block),)


def misspell_path(scene: Scene) -> Places | None:
    """Removes a letter of a library path."""
    diagrams = [
        (diagram, block)
        for diagram in scene.diagrams
        for block in diagram.blocks
        if block.get("source", "").split("/")[0] in _LIBRARIES
    ]
    if not diagrams:
        return None
    diagram, block = scene.pick(diagrams)
    path = block["source"]
    at = scene.chance.randrange(path.index("/") + 2, len(path))
    block["source"] = path[:at] + path[at + 1 :]
    return (diagram.at(block),)


def duplicate_name(scene: Scene) -> Places | None:
    """Gives a block the name of another block in its diagram."""
    diagrams = [diagram for diagram in scene.diagrams if len(diagram.blocks) > 1]
    if not diagrams:
        return None
    diagram = scene.pick(diagrams)
    first, second = scene.chance.sample(diagram.blocks, 2)
    second["name"] = first["name"]
    return diagram.at(first), diagram.at(second)


def set_unknown_operator(scene: Scene) -> Places | None:
    """Sets an operator that the block does not have."""
    blocks = scene.blocks(*_OPERATORS)
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    name, value = _OPERATORS[block["type"]]
    block.setdefault("parameters", {})[name] = value
    return (diagram.at(block),)


def break_value(scene: Scene) -> Places | None:
    """Sets a value that does not parse: with an open bracket or a trailing operator."""
    blocks = [item for item in scene.blocks("Gain", "Constant", "Bias") if is_active(item[1])]
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    name = {"Gain": "Gain", "Constant": "Value", "Bias": "Bias"}[block["type"]]
    block.setdefault("parameters", {})[name] = scene.pick(["[1 2", "3 *", "(4", "2..5.", "{1"])
    return (diagram.at(block),)


def use_undefined_variable(scene: Scene) -> Places | None:
    """Sets a value to a variable that the workspace may or may not have."""
    blocks = scene.blocks("Gain")
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    block.setdefault("parameters", {})["Gain"] = "k_nobody_knows"
    return (diagram.at(block),)


def change_gain(scene: Scene) -> Places | None:
    """Sets a gain to a different number."""
    blocks = scene.blocks("Gain")
    if not blocks:
        return None
    diagram, block = scene.pick(blocks)
    block.setdefault("parameters", {})["Gain"] = "-12.5"
    return (diagram.at(block),)
