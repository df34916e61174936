"""Compile a catalog entry at one version into what the checks read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """One node type at one version, compiled."""

    id: str
    version: float
    variant: Mapping[str, Any]
    traits: Mapping[str, Any]


def compile_tool(tool: Mapping[str, Any], version: float) -> NodeSpec:
    """Compile the variant of a tool that serves this version; KeyError when none does."""
    for variant in tool["variants"]:
        if version in variant["versions"]:
            return NodeSpec(tool["id"], version, variant, variant.get("traits", {}))
    raise KeyError((tool["id"], version))
