"""Reads a block of a model file, and determines why its inside is not a readable diagram."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.catalog.common_properties import PROPERTIES
from grounded_builder.domains.simulink.read.document import PORT_KINDS
from grounded_builder.domains.simulink.read.masks import read_mask
from grounded_builder.domains.simulink.read.section import Part
from grounded_builder.domains.simulink.read.skipped_parts import SkippedParts

# A value that is stored in a separate binary part of the package.
ELSEWHERE = "bdmxdata:"

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Values that the document stores under another key.
_PLACED = frozenset({"BlockType", "Name", "SID", "Ports", "Position", "SourceBlock"})
# Blocks whose inside is a language of its own, by the markers in files.
_CHARTS = {
    "MATLAB Function": "function",
    "Chart": "chart",
    "State Transition Table": "chart",
    "Truth Table": "chart",
    "Test Sequence": "chart",
    "Requirements Table": "chart",
}
_OPAQUE = {
    "S-Function": "s-function",
    "M-S-Function": "s-function",
    "MATLABSystem": "function",
    "ModelReference": "model",
    "Reference": "link",
    "MATLABFcn": "function",
}


def read_block(part: Part, sid: str, unread: SkippedParts) -> dict[str, Any]:
    """Returns a block without its inner system."""
    own = part.own
    block: dict[str, Any] = {
        "sid": sid,
        "name": own.get("Name", ""),
        "type": own.get("BlockType", ""),
    }
    if own.get("SourceBlock"):
        block["source"] = own["SourceBlock"]
        block["linked"] = True
    parameters, properties = _values(own)
    instance = part.first("InstanceData")
    if instance is not None:
        parameters = instance.own | parameters
        for inner in instance.parts:
            unread.add(f"Block/InstanceData/{inner.tag}")
    if parameters:
        block["parameters"] = parameters
    for name, text in (parameters | properties).items():
        if text.startswith(ELSEWHERE):
            unread.add(f"Block/{name} in a separate part")
    if properties:
        block["properties"] = properties
    if (position := numbers(own.get("Position", ""))) and len(position) == 4:
        block["position"] = position
    if (ports := _ports(part)) is not None:
        block["ports"] = ports
    if signals := _signals(part, unread):
        block["signals"] = signals
    if element := _element(part):
        block["element"] = element
    if mask := read_mask(part, unread):
        block["mask"] = mask
    if opaque := opaque_of(block):
        block["opaque"] = opaque
    for inner in part.parts:
        if inner.tag not in _READ and not _is_mask(inner) and not _is_interface(inner):
            unread.add(f"Block/{inner.tag}")
    return block


_READ = frozenset({"System", "InstanceData", "PortCounts", "PortProperties", "Port", "Mask"})


def numbers(text: str) -> list[float]:
    """Returns the numbers of a list such as ``[10, 20, 40, 50]``."""
    return [float(match) for match in _NUMBER.findall(text)]


def _values(own: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    parameters: dict[str, str] = {}
    properties: dict[str, str] = {}
    for name, value in own.items():
        if name in _PLACED:
            continue
        (properties if name in PROPERTIES else parameters)[name] = value
    return parameters, properties


def _ports(part: Part) -> dict[str, int] | None:
    """Returns port counts by kind, in either notation; None where the file leaves them out."""
    counts = part.first("PortCounts")
    if counts is not None:
        return {
            kind.lower(): int(count)
            for kind, count in counts.own.items()
            if count.isdigit() and int(count)
        }
    if "Ports" not in part.own:
        return None
    results = numbers(part.own["Ports"])
    pairs = zip(PORT_KINDS, results, strict=False)
    return {kind: int(count) for kind, count in pairs if count}


def _signals(part: Part, unread: SkippedParts) -> dict[str, str]:
    """Returns the names of output signals by index, in either notation."""
    named: dict[str, str] = {}
    listed = part.first("PortProperties")
    ports = [*part.all("Port"), *(listed.parts if listed is not None else ())]
    for port in ports:
        if port.own.get("Type", "out") == "out" and port.own.get("Name"):
            named[port.own.get("PortNumber") or port.own.get("Index", "1")] = port.own["Name"]
        rest = [key for key in port.own if key not in ("Type", "Index", "PortNumber", "Name")]
        for key in rest:
            unread.add(f"Port/{key}")
    return named


def _element(part: Part) -> dict[str, str] | None:
    """Returns the bus element for which a port block stands."""
    listed = next(filter(_is_interface, part.parts), None)
    if listed is None or listed.own.get("IsComposite", "0") in ("0", "off"):
        return None
    return {"bus": listed.own.get("PortName", ""), "path": listed.own.get("Element", "")}


def _is_interface(part: Part) -> bool:
    return part.tag == "List" and part.own.get("ListType") == "InterfaceData"


def opaque_of(block: Mapping[str, Any]) -> str | None:
    """Returns the reason why the inside of a block is not a readable diagram."""
    kind = block["type"]
    if kind in _OPAQUE:
        return _OPAQUE[kind]
    if kind == "SubSystem":
        parameters = block.get("parameters", {})
        if parameters.get("SFBlockType", "NONE") != "NONE":
            return _CHARTS.get(parameters["SFBlockType"], "chart")
        if parameters.get("ReferencedSubsystem"):
            return "model"
        properties = block.get("properties", {})
        if "Stateflow" in (properties.get("MaskType"), block.get("mask", {}).get("type")):
            return "chart"
        if properties.get("ErrorFcn", "").startswith("Stateflow."):
            return "chart"
    return None


def _is_mask(part: Part) -> bool:
    return part.tag == "Object" and "MaskObject" in (
        part.own.get("PropName"),
        part.own.get("$PropName"),
    )
