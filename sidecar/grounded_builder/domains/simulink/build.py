"""Make the artifact of a model that is not wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.graph import Resolved
from grounded_builder.setting import Setting


def build(resolved: Resolved, setting: Setting) -> Mapping[str, Any]:
    """The model as it stands; what is made of it (a script, a file) is made from there."""
    del setting
    return {"model": resolved.graph.document}


def annotated(artifact: Mapping[str, Any], points: Sequence[str]) -> Mapping[str, Any]:
    """The artifact with what only a person can supply as notes in the diagram."""
    if not points:
        return artifact
    model = artifact["model"]
    system = model["system"]
    notes = [
        {"text": "To do: " + point, "position": [40, 10 + 15 * at]}
        for at, point in enumerate(points[:12])
    ]
    annotations = [*system.get("annotations", ()), *notes]
    return {**artifact, "model": {**model, "system": {**system, "annotations": annotations}}}
