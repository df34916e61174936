"""Builds the artifact of a model: its document, for drafts a script, and notes for open points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.domains.simulink.build.script import file_name, script_of
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions


def build(resolved: ResolvedGraph, options: CompileOptions) -> Mapping[str, Any]:
    """Returns the model, and for a draft the MATLAB script that builds it.

    ``blocks`` states for each block what a client finds when it reads back the built model.
    """
    del options
    model = resolved.graph.document
    if model.get("layout") not in (None, "plan"):
        return {"model": model}
    blocks = [
        _build_fact(bound.node.source, bound.spec)
        for bound in resolved.nodes
        if isinstance(bound.spec, BlockSpec)
    ]
    return _add_script({"model": model, "blocks": blocks})


def add_notes(artifact: Mapping[str, Any], points: Sequence[str]) -> Mapping[str, Any]:
    """Returns the artifact with notes in the diagram for what only a person can supply."""
    if not points:
        return artifact
    model = artifact["model"]
    system = model["system"]
    notes = [
        {"text": "To do: " + point, "position": [40, 10 + 15 * at]}
        for at, point in enumerate(points[:12])
    ]
    annotations = [*system.get("annotations", ()), *notes]
    noted = {**artifact, "model": {**model, "system": {**system, "annotations": annotations}}}
    return _add_script(noted) if "script" in artifact else noted


def _build_fact(block: Mapping[str, Any], spec: BlockSpec) -> dict[str, Any]:
    return {
        "sid": block["sid"],
        "path": spec.path,
        "block_type": spec.block_type,
        "mask_type": spec.mask_type or "",
    }


def _add_script(artifact: Mapping[str, Any]) -> dict[str, Any]:
    return {**artifact, "script": script_of(artifact), "file": file_name(artifact)}
