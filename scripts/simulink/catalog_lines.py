"""Builds the common parts of a block's catalog line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scripts.simulink.sources import one_line


def line_of(
    path: str, name: str, product: str, parameters: list[dict[str, Any]], traits: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a catalog line of one version."""
    root, *middle = path.replace("//", "\0").split("/")
    return {
        "kind": "tool",
        "id": path,
        "name": one_line(name),
        "category": "/".join(middle[:-1]).replace("\0", "/"),
        "family": product,
        "package": root,
        "requires_license": None if product == "Simulink" else product,
        "variants": [
            {
                "versions": [1],
                "inputs": [],
                "outputs": [],
                "parameters": parameters,
                "traits": traits,
            }
        ],
    }


def capabilities(path: str, kind: str | None, traits: Mapping[str, Any]) -> list[str]:
    """Return the capabilities of a block: a subsystem, a preset, a source, physical."""
    category = path.split("/")[-2]
    entries = {
        "composite": kind is None or (kind == "SubSystem" and "mask_type" in traits),
        "preset": "base" in traits and "preset" in traits,
        "physical": traits["domain"] == "physical",
        "source": category == "Sources",
        "sink": category == "Sinks",
    }
    return [item for item, holds in entries.items() if holds]


def description(path: str, traits: Mapping[str, Any]) -> str:
    """Return a description derived from the place of a block in its library."""
    place = path.split("/")[-2] if path.count("/") > 1 else path.split("/", 1)[0]
    return f"{traits['domain']} block of {place}"


def split_words(name: str) -> list[str]:
    """Split a name such as ``GreaterThan`` into words."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return [words] if words != name else []


def pattern_line(path: str, pattern: Mapping[str, Any]) -> dict[str, Any]:
    """Return the line of a pattern of several blocks, which is used only if named by its id."""
    results = ("input", "output", "parameters", "steps")
    traits = {"pattern": {key: pattern[key] for key in results}, "domain": "signal"}
    parameters = [
        {"name": name, "type": "value", "default": value}
        for name, value in pattern["parameters"].items()
    ]
    line = line_of(path, path.rsplit("/", 1)[1], "Simulink", parameters, traits)
    blocks = list(dict.fromkeys(step["tool"] for step in pattern["steps"]))
    return line | {
        "aliases": pattern["aliases"],
        "description": pattern["description"],
        "capabilities": ["composite", "pattern"],
        "subcomponents": blocks,
    }
