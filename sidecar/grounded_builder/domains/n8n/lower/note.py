"""The sticky note with the purpose of a workflow and its open points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.domains.n8n.lower.layout import Place

STICKY = "n8n-nodes-base.stickyNote"
_WIDTH, _GAP, _EDGES = 480, 48, 48
# The height of a line and the characters per line of a note of this width in n8n.
_TITLE, _TITLE_FITS, _LINE, _LINE_FITS, _BLANK = 32, 32, 24, 56, 8
_OPEN_SHOWN = 12


def sticky(goal: str, remarks: Iterable[str], taken: Iterable[Place], seed: str) -> dict[str, Any]:
    """Returns a note above the nodes, large enough for its text."""
    lines = [f"## {' '.join(goal.split())[:200] or 'Generated workflow'}"]
    lines += [f"- {' '.join(remark.split())[:200]}" for remark in remarks][:_OPEN_SHOWN]
    height = _EDGES + _height(lines)
    top = min((place[1] for place in taken), default=0)
    left = min((place[0] for place in taken), default=0)
    return {
        "id": seed,
        "name": "Goal",
        "type": STICKY,
        "typeVersion": 1,
        "position": [left, _grid(top - height - _GAP)],
        "parameters": {"content": "\n".join(lines), "height": height, "width": _WIDTH},
    }


def with_open_points(artifact: Mapping[str, Any], points: Iterable[str]) -> dict[str, Any]:
    """Returns the workflow with the open points for a person in its note."""
    open_points = list(points)
    if not open_points:
        return dict(artifact)
    nodes = [dict(node) for node in artifact["nodes"]]
    for node in nodes:
        if node.get("type") == STICKY and node.get("name") == "Goal":
            old = node["parameters"]
            more = [
                "",
                "**Still to do**",
                *(f"- [ ] {point[:200]}" for point in open_points[:_OPEN_SHOWN]),
            ]
            extra = _height(more)
            node["parameters"] = {
                **old,
                "content": "\n".join([old["content"], *more]),
                "height": old["height"] + extra,
            }
            x, y = node["position"]
            node["position"] = [x, _grid(y - extra)]
    return {**artifact, "nodes": nodes}


def _height(lines: Iterable[str]) -> int:
    total = 0
    for line in lines:
        if not line:
            total += _BLANK
        elif line.startswith("## "):
            total += _TITLE * (1 + len(line) // _TITLE_FITS)
        else:
            total += _LINE * (1 + len(line) // _LINE_FITS)
    return total


def _grid(value: int) -> int:
    return value // 16 * 16
