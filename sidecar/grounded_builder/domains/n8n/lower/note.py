"""Writes the sticky note with a plan's remarks, and puts the open points of a workflow in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.lower.layout import Place
from grounded_builder.domains.n8n.lower.node_shapes import GRID

STICKY = "n8n-nodes-base.stickyNote"
NOTE_NAME = "Still to do"
_TITLE = f"## {NOTE_NAME}"
_POINT = "- [ ] "
_WIDTH, _GAP, _EDGES = 480, 48, 48
# The height of the title, and of a line with this number of characters, in a note of this width.
_TITLE_HEIGHT, _LINE, _LINE_FITS = 48, 24, 52
_LONGEST, _SHOWN = 200, 12


def sticky(remarks: Iterable[str], taken: Iterable[Place], seed: str) -> dict[str, Any]:
    """Returns a note above the nodes with what the plan remarks."""
    places = list(taken)
    top = min((y for _, y in places), default=0)
    left = min((x for x, _ in places), default=0)
    lines = [f"- {_one_line(remark)}" for remark in remarks][:_SHOWN]
    content, height = _lay_out(lines)
    return {
        "id": seed,
        "name": NOTE_NAME,
        "type": STICKY,
        "typeVersion": 1,
        "position": [left, top - height - _GAP],
        "parameters": {"content": content, "height": height, "width": _WIDTH},
    }


def with_open_points(artifact: Mapping[str, Any], points: Sequence[str]) -> dict[str, Any]:
    """Returns the workflow with these open points in its note, in place of those it had.

    Its lower edge stays. A note without points and remarks is left out; a workflow without the
    note stays as it is.
    """
    nodes = []
    for node in artifact["nodes"]:
        if not _is_note(node):
            nodes.append(node)
            continue
        old = node["parameters"]
        remarks = [line for line in old["content"].splitlines()[1:] if not line.startswith(_POINT)]
        lines = [f"{_POINT}{_one_line(point)}" for point in points[:_SHOWN]]
        if len(points) > _SHOWN:
            lines.append(f"{_POINT}and {len(points) - _SHOWN} more in the to-do list")
        lines += [line for line in remarks if line.strip()]
        content, height = _lay_out(lines)
        if lines and content == old["content"]:
            nodes.append(node)
        elif lines:
            x, y = node["position"]
            parameters = {**old, "content": content, "height": height}
            place = [x, y + old["height"] - height]
            nodes.append({**node, "parameters": parameters, "position": place})
    return {**artifact, "nodes": nodes}


def _is_note(node: Any) -> bool:
    """Returns whether a node is the note as this module writes it."""
    if not isinstance(node, Mapping) or node.get("type") != STICKY:
        return False
    parameters, position = node.get("parameters"), node.get("position")
    return (
        isinstance(parameters, Mapping)
        and isinstance(parameters.get("content"), str)
        and parameters["content"].partition("\n")[0] == _TITLE
        and isinstance(parameters.get("height"), int)
        and isinstance(position, list)
        and len(position) == len(("x", "y"))
        and all(isinstance(value, int | float) for value in position)
    )


def _lay_out(lines: Sequence[str]) -> tuple[str, int]:
    """Returns the text of a note and the height that shows all of it, on n8n's grid."""
    height = _EDGES + _TITLE_HEIGHT + sum(_LINE * (1 + len(line) // _LINE_FITS) for line in lines)
    return "\n".join((_TITLE, *lines)), -(-height // GRID) * GRID


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
