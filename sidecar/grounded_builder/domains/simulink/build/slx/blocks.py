"""Makes the XML element of a block without its inner diagram."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.build.slx.element import Element, row
from grounded_builder.domains.simulink.catalog.common_properties import PROPERTIES
from grounded_builder.domains.simulink.read.document import PORT_KINDS

# Keys that an element expresses otherwise than as a parameter.
_PLACED = frozenset({"BlockType", "Name", "SID", "Ports", "Position", "SourceBlock"})


def block_element(block: Mapping[str, Any], sid: str) -> Element:
    """Returns the element of a block; parameters that share a property's name are kept apart."""
    entries = {"BlockType": block["type"], "Name": block["name"], "SID": sid}
    element = Element("Block", entries)
    if "ports" in block:
        element.add("Ports", _ports(block["ports"]))
    if block.get("position"):
        element.add("Position", row(block["position"]))
    properties = block.get("properties") or {}
    for name, value in properties.items():
        element.add(name, value)
    if block.get("source"):
        element.add("SourceBlock", block["source"])
    apart = Element("InstanceData")
    for name, value in (block.get("parameters") or {}).items():
        (apart if name in PROPERTIES or name in _PLACED else element).add(name, value)
    if apart.values:
        element.inner.append(apart)
    for index, name in (block.get("signals") or {}).items():
        element.inner.append(Element("Port", values=[("PortNumber", index), ("Name", name)]))
    if "element" in block:
        element.inner.append(_bus(block["element"]))
    if "mask" in block and not _is_classic(properties):
        element.inner.append(_mask(block["mask"]))
    return element


def _is_classic(properties: Mapping[str, str]) -> bool:
    """Returns whether the properties define the mask, as in files before R2012a."""
    return any(name in properties for name in ("MaskType", "MaskVariables", "MaskDisplay"))


def _ports(counts: Mapping[str, int]) -> str:
    """Returns the vector of counts by kind, without trailing zeros."""
    vector: list[float] = [counts.get(kind, 0) for kind in PORT_KINDS]
    while vector and not vector[-1]:
        vector.pop()
    return row(vector)


def _bus(part: Mapping[str, str]) -> Element:
    values = [("IsComposite", "on"), ("PortName", part["bus"]), ("Element", part["path"])]
    return Element("List", {"ListType": "InterfaceData"}, values)


def _mask(mask: Mapping[str, Any]) -> Element:
    """Returns a mask as the object in which files of R2012b to R2014a store it."""
    entries = {"PropName": "MaskObject", "ClassName": "Simulink.Mask"}
    element = Element("Object", entries)
    for key, name in (("type", "Type"), ("initialization", "Initialization")):
        if mask.get(key):
            element.add(name, mask[key])
    if mask.get("display"):
        element.add("Display", mask["display"])
    if mask.get("modifies"):
        element.add("SelfModifiable", "on")
    parameters = [_mask_parameter(name, value, mask) for name, value in mask["parameters"].items()]
    if len(parameters) == 1:
        alone = {"PropName": "Parameters", "ClassName": "Simulink.MaskParameter"}
        element.inner.append(Element("Object", alone, parameters[0].values, parameters[0].inner))
    elif parameters:
        several = {
            "PropName": "Parameters",
            "Type": "Simulink.MaskParameter",
            "Dimension": f"1*{len(parameters)}",
        }
        element.inner.append(Element("Array", several, inner=parameters))
    return element


def _mask_parameter(name: str, value: str, mask: Mapping[str, Any]) -> Element:
    """Returns a mask parameter with its style; its name is used as its prompt."""
    kind = (mask.get("kinds") or {}).get(name)
    options = (mask.get("options") or {}).get(name, ())
    style = {"switch": "checkbox", "choice": "popup"}.get(kind or "", "edit")
    values = [("Type", style), ("Name", name), ("Prompt", name), ("Value", value)]
    if kind == "text":
        values.append(("Evaluate", "off"))
    cells = [Element("Cell", {"Class": "char"}, text=option) for option in options]
    entries = {"PropName": "TypeOptions", "Type": "Cell", "Dimension": f"{len(cells)}*1"}
    return Element(
        "Object", values=values, inner=[Element("Array", entries, inner=cells)] * bool(cells)
    )
