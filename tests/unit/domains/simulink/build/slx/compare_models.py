"""Compares a model with the one read from its written file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.read.document import systems


def differences(model: Mapping[str, Any], again: Mapping[str, Any]) -> list[str]:
    """Where two models differ in blocks, parameters, lines, hierarchy, notes or settings.

    What the layout gives a name of its own is no difference: sids count by the place of their
    block, and a setting that every file states, the release and an empty text of a mask not.
    """
    return list(_list_differences(_plain(model), _plain(again), ""))


def _plain(model: Mapping[str, Any]) -> dict[str, Any]:
    places: dict[str, str] = {}
    for path, _, system in systems(model):
        for index, block in enumerate(system["blocks"]):
            places[block["sid"]] = f"{path}/{index}"
    settings = dict(model.get("settings") or {})
    if settings.get("SavedCharacterEncoding") == "UTF-8":
        del settings["SavedCharacterEncoding"]
    entries = {key: model[key] for key in ("kind", "name")}
    system = _system(model["system"], places)
    system["properties"].pop("SIDHighWatermark", None)
    return entries | {
        "settings": settings,
        "defaults": model.get("defaults") or {},
        "system": system,
    }


def _system(system: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Any]:
    here = {block["sid"] for block in system["blocks"]}
    return {
        "blocks": [_block(block, places) for block in system["blocks"]],
        "lines": [_line(line, places, here) for line in system["lines"]],
        "annotations": list(system.get("annotations") or ()),
        "properties": dict(system.get("properties") or {}),
    }


def _block(block: Mapping[str, Any], places: Mapping[str, str]) -> dict[str, Any]:
    entries = {key: value for key, value in block.items() if value not in ({}, [], None)}
    entries["sid"] = places[block["sid"]]
    entries.pop("opaque", None)
    if "ports" in block:
        entries["ports"] = block["ports"]
    if "mask" in block:
        mask = block["mask"]
        entries["mask"] = {key: value for key, value in mask.items() if value or key != "display"}
    if block.get("system") is not None:
        entries["system"] = _system(block["system"], places)
    return entries


def _line(part: Mapping[str, Any], places: Mapping[str, str], here: set[str]) -> dict[str, Any]:
    entries = dict(part)
    for key in ("from", "to"):
        if part.get(key) is None:
            entries.pop(key, None)
        elif part[key]["block"] in here:
            entries[key] = part[key] | {"block": places[part[key]["block"]]}
    if part.get("branches"):
        entries["branches"] = [_line(branch, places, here) for branch in part["branches"]]
    return entries


def _list_differences(item: Any, other: Any, at: str) -> Iterator[str]:
    if isinstance(item, dict) and isinstance(other, dict):
        for key in {**item, **other}:
            if key not in item or key not in other:
                yield f"{at}/{key}: {'more' if key in other else 'gone'}"
            else:
                yield from _list_differences(item[key], other[key], f"{at}/{key}")
    elif isinstance(item, list) and isinstance(other, list) and len(item) == len(other):
        for index, (left, right) in enumerate(zip(item, other, strict=True)):
            yield from _list_differences(left, right, f"{at}/{index}")
    elif item != other:
        yield f"{at}: {item!r} became {other!r}"[:300]
