"""Reads the mask declarations of a block in the three notations of model files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from grounded_builder.domains.simulink.read.section import Part
from grounded_builder.domains.simulink.read.skipped_parts import SkippedParts

_VARIABLE = re.compile(r"(?<!\w)([A-Za-z]\w*+)\s*+=\s*+([@&])(\d+)")
_VALUES = re.compile(r"(?<!\\)\|")
# A style in a classic mask: ``edit``, ``checkbox``, ``popup(one|two)``.
_STYLE = re.compile(r"(?<!\w)(\w++)(?:\(([^()]*+)\))?(?:,|$)")
_SWITCHES = frozenset({"checkbox"})
_CHOICES = frozenset({"popup", "radiobutton"})


def read_mask(block: Part, unread: SkippedParts) -> dict[str, Any] | None:
    """Returns the declarations of a block's mask; None for a block without a mask."""
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


def _from_xml(mask: Part, unread: SkippedParts) -> dict[str, Any]:
    parameters: dict[str, str] = {}
    entries: dict[str, Any] = {"type": "", "parameters": parameters}
    for part in mask.parts:
        if part.tag == "MaskParameter":
            name = part.own.get("Name", "")
            value = part.first("Value")
            parameters[name] = value.text if value is not None else ""
            listed = part.first("TypeOptions")
            options = [item.text for item in listed.all("Option")] if listed is not None else []
            _style(entries, name, part.own.get("Type", "edit"), part.own.get("Evaluate"), options)
        elif part.tag in ("Type", "Initialization", "Display"):
            entries[part.tag.lower()] = part.text
        else:  # elements that only affect the dialog
            unread.add(f"Mask/{part.tag}")
    if mask.own.get("SelfModifiable") == "on":
        entries["modifies"] = True
    return entries


def _from_object(mask: Part, unread: SkippedParts) -> dict[str, Any]:
    entries: dict[str, Any] = {"type": mask.own.get("Type", ""), "parameters": {}}
    for key in ("Initialization", "Display"):
        if mask.own.get(key):
            entries[key.lower()] = mask.own[key]
    for part in _objects(mask):
        own = part.own
        if "Name" in own and ("Value" in own or "Prompt" in own):
            entries["parameters"][own["Name"]] = own.get("Value", "")
            style, options = own.get("Type", "edit"), list(_options(part))
            _style(entries, own["Name"], style, own.get("Evaluate"), options)
        else:
            unread.add("Mask/Object")
    if mask.own.get("SelfModifiable") == "on":
        entries["modifies"] = True
    return entries


def _objects(mask: Part) -> Iterator[Part]:
    """Yields the parameters of a mask: the elements of an array, or a single one."""
    for part in mask.parts:
        if "Parameters" in (part.own.get("PropName"), part.own.get("$PropName")):
            yield from part.all("Object") if part.tag == "Array" else (part,)
        elif part.own.get("Type") == "Simulink.MaskParameter":
            yield from part.all("Object")


def _options(parameter: Part) -> Iterator[str]:
    """Yields the options of a mask parameter."""
    for part in parameter.all("Array"):
        if "TypeOptions" in (part.own.get("PropName"), part.own.get("$PropName")):
            yield from (cell.text for cell in part.all("Cell"))


def _classic(block: Part) -> dict[str, Any]:
    own = block.own
    values = [value.replace("\\|", "|") for value in _VALUES.split(own.get("MaskValueString", ""))]
    styles = _STYLE.findall(own.get("MaskStyleString", ""))
    entries: dict[str, Any] = {"type": own.get("MaskType", ""), "parameters": {}}
    for name, evaluated, place in _VARIABLE.findall(own.get("MaskVariables", "")):
        index = int(place) - 1
        entries["parameters"][name] = values[index] if 0 <= index < len(values) else ""
        style, options = styles[index] if 0 <= index < len(styles) else ("edit", "")
        _style(entries, name, style, "on" if evaluated == "@" else "off", options.split("|"))
    for key, name in (("MaskInitialization", "initialization"), ("MaskDisplay", "display")):
        if own.get(key):
            entries[name] = own[key]
    if own.get("MaskSelfModifiable") == "on":
        entries["modifies"] = True
    return entries


def _style(
    entries: dict[str, Any], name: str, style: str, evaluated: str | None, options: list[str]
) -> None:
    """Records the kind of a parameter that is not an evaluated text."""
    known = [option for option in options if option]
    if style in _SWITCHES:
        entries.setdefault("kinds", {})[name] = "switch"
    elif style in _CHOICES and known:
        entries.setdefault("kinds", {})[name] = "choice"
        entries.setdefault("options", {})[name] = known
    elif style != "edit" or evaluated == "off":
        entries.setdefault("kinds", {})[name] = "text"
