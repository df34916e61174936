"""Compares a model with the one built from its plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.catalog.common_properties import is_code
from grounded_builder.domains.simulink.read.blocks import ELSEWHERE
from grounded_builder.domains.simulink.read.document import ends as every_end
from grounded_builder.domains.simulink.read.document import systems

_MASK = ("type", "parameters", "kinds", "options")


def unlike(model: Mapping[str, Any], again: Mapping[str, Any]) -> list[str]:
    """Where two models differ in blocks, parameters, lines, hierarchy, notes, masks or settings.

    What plans are known to lose is no difference: corners and forks of lines, what is run, how
    masks show their parameters, values in parts of their own; nor are the numbers that blocks go
    by.
    """
    results = []
    here = {path: system for path, _, system in systems(model)}
    there = {path: system for path, _, system in systems(again)}
    for what in ("kind", "name"):
        results += _list_differences(what, model[what], again[what])
    settings = [_values(item.get("settings")) for item in (model, again)]
    for setting in settings:
        setting.pop("SavedCharacterEncoding", None)
    results += _list_differences("settings", *settings)
    results += _list_differences(
        "defaults", model.get("defaults") or {}, again.get("defaults") or {}
    )
    results += _list_differences("diagrams", sorted(map(str, here)), sorted(map(str, there)))
    for path in here.keys() & there.keys():
        results += _system(str(path), here[path], there[path])
    return results


def _system(path: str, first: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    blocks = [[_block(block) for block in system["blocks"]] for system in (first, other)]
    differing = _list_differences(f"{path} number of blocks", *map(len, blocks))
    for left, right in zip(*blocks, strict=False):
        for key in {**left, **right}:
            name = f"{path} {left['name']!r} {key}"
            differing += _list_differences(name, left.get(key), right.get(key))
    differing += _list_differences(f"{path} lines", _ends(first), _ends(other))
    notes = [system.get("annotations") or [] for system in (first, other)]
    differing += _list_differences(f"{path} notes", *notes)
    results = [_values(system.get("properties")) for system in (first, other)]
    for properties in results:
        properties.pop("SIDHighWatermark", None)
    return differing + _list_differences(f"{path} properties", *results)


def _block(block: Mapping[str, Any]) -> dict[str, Any]:
    entries = {key: value for key, value in block.items() if value not in ({}, [], None)}
    for key in ("sid", "opaque", "system"):
        entries.pop(key, None)
    if "ports" in block:
        entries["ports"] = block["ports"]
    held = (block.get("parameters") or {}).items()
    entries["parameters"] = {name: text for name, text in held if not text.startswith(ELSEWHERE)}
    properties = _values(block.get("properties"))
    entries["properties"] = {
        name: value
        for name, value in properties.items()
        if not name.startswith("Mask") or name == "MaskHideContents"
    }
    if "mask" in block:
        entries["mask"] = {key: block["mask"].get(key) for key in _MASK}
    return entries


def _values(values: Mapping[str, str] | None) -> dict[str, str]:
    return {
        name: value
        for name, value in (values or {}).items()
        if not is_code(name, value) and not value.startswith(ELSEWHERE)
    }


def _ends(system: Mapping[str, Any]) -> list[Any]:
    """Each pair of ends that a line joins, with its name; physical ones as what they join."""
    places = {block["sid"]: index for index, block in enumerate(system["blocks"])}
    results: list[Any] = []
    for line in system["lines"]:
        every = [end for end in _of(line) if end["block"] in places]
        ends = [(places[end["block"]], end["kind"], end["index"]) for end in every]
        loose = sum(end is None for _, end in every_end(line, ()))
        if loose or (line.get("from") is None and not line.get("physical")):
            results.append(("loose", loose, *sorted(ends)))
        if line.get("physical"):
            joined = ("joined", *sorted(ends))
            results += [joined] if len(ends) > 1 else []
        elif line.get("from") is not None and line["from"]["block"] in places:
            results += [(ends[0], end, line.get("name") or "") for end in ends[1:]]
    return sorted(results, key=str)


def _of(part: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    inner = [end for branch in part.get("branches") or () for end in _of(branch)]
    return [end for end in (part.get("from"), part.get("to")) if end is not None] + inner


def _list_differences(what: str, first: Any, other: Any) -> list[str]:
    return [] if first == other else [f"{what}: {first!r} became {other!r}"[:400]]
