"""Masks, in the three forms that files have written them in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from grounded_builder.domains.simulink.reading.part import Part
from grounded_builder.domains.simulink.reading.unread import Unread

_VARIABLE = re.compile(r"\s*([A-Za-z]\w*)\s*=\s*[@&](\d+)\s*;?")
_VALUES = re.compile(r"(?<!\\)\|")


def read_mask(block: Part, unread: Unread) -> dict[str, Any] | None:
    """What a block's mask declares, or None for a block without one."""
    mask = block.first("Mask")
    if mask is not None:
        return _from_xml(mask, unread)
    for part in block.parts:
        names = (part.own.get("PropName"), part.own.get("$PropName"))
        if part.tag == "Object" and "MaskObject" in names:
            return _from_object(part, unread)
    if "MaskType" in block.own or "MaskVariables" in block.own or "MaskDisplay" in block.own:
        return _classic(block)
    return None


def _from_xml(mask: Part, unread: Unread) -> dict[str, Any]:
    parameters: dict[str, str] = {}
    told: dict[str, Any] = {"type": "", "parameters": parameters}
    for part in mask.parts:
        if part.tag == "MaskParameter":
            value = part.first("Value")
            parameters[part.own.get("Name", "")] = value.text if value is not None else ""
        elif part.tag in ("Type", "Initialization", "Display"):
            told[part.tag.lower()] = part.text
        else:  # what a mask shows to people in its dialog
            unread.add(f"Mask/{part.tag}")
    return told


def _from_object(mask: Part, unread: Unread) -> dict[str, Any]:
    told: dict[str, Any] = {"type": mask.own.get("Type", ""), "parameters": {}}
    for key in ("Initialization", "Display"):
        if mask.own.get(key):
            told[key.lower()] = mask.own[key]
    for part in _objects(mask):
        if "Name" in part.own and ("Value" in part.own or "Prompt" in part.own):
            told["parameters"][part.own["Name"]] = part.own.get("Value", "")
        else:
            unread.add("Mask/Object")
    return told


def _objects(mask: Part) -> Iterator[Part]:
    """The parameters of a mask: listed in an array, or one alone."""
    for part in mask.parts:
        if "Parameters" in (part.own.get("PropName"), part.own.get("$PropName")):
            yield from part.all("Object") if part.tag == "Array" else (part,)
        elif part.own.get("Type") == "Simulink.MaskParameter":
            yield from part.all("Object")


def _classic(block: Part) -> dict[str, Any]:
    own = block.own
    values = [value.replace("\\|", "|") for value in _VALUES.split(own.get("MaskValueString", ""))]
    parameters = {}
    for name, place in _VARIABLE.findall(own.get("MaskVariables", "")):
        index = int(place) - 1
        parameters[name] = values[index] if 0 <= index < len(values) else ""
    told: dict[str, Any] = {"type": own.get("MaskType", ""), "parameters": parameters}
    for key, name in (("MaskInitialization", "initialization"), ("MaskDisplay", "display")):
        if own.get(key):
            told[name] = own[key]
    return told
