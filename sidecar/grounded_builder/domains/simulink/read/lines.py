"""Converts a line of a model file to JSON: its ends, branches and corners."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from grounded_builder.domains.simulink.read.document import CONTROL, PHYSICAL
from grounded_builder.domains.simulink.read.section import Part
from grounded_builder.domains.simulink.read.skipped_parts import SkippedParts

# ``12:3#in:1`` in XML.
_END = re.compile(r"(?P<block>[^#]*)#(?P<kind>[a-zA-Z]+)(?::(?P<index>\d+))?")
# ``2``, ``enable``, ``LConn1``, ``Reset`` in classic text.
_PORT = re.compile(r"(?P<kind>[a-zA-Z]*)(?P<index>\d*)")
_KINDS = PHYSICAL | CONTROL | {"in", "out", "state"}
_KNOWN = frozenset(
    """
    Name Src Dst SrcBlock SrcPort DstBlock DstPort Points ZOrder Labels LineType ConnectType
    FontSize FontName FontWeight FontAngle SID
    """.split()
)

Sids = Callable[[str], str]


def read_line(part: Part, sids: Sids, unread: SkippedParts) -> dict[str, Any]:
    """Returns a line with its branches; ``sids`` maps names of blocks to ids in classic text."""
    line: dict[str, Any] = {}
    start = _start(part, sids, unread)
    if start is not None:
        line["from"] = start
    if part.own.get("LineType") == "Connection":
        line["physical"] = True
    waiting = [(part, line)]
    while waiting:
        here, entries = waiting.pop()
        _read_branch(here, entries, sids, unread)
        branches: list[dict[str, Any]] = []
        for inner in here.parts:
            if inner.tag != "Branch":
                unread.add(f"{here.tag}/{inner.tag}")
                continue
            branch: dict[str, Any] = {}
            branches.append(branch)
            waiting.append((inner, branch))
        if branches:
            entries["branches"] = branches
    if any(end.get("kind") in PHYSICAL for end in (line.get("from"), line.get("to")) if end):
        line["physical"] = True
    return line


def corners(text: str | None) -> list[list[float]] | None:
    """Returns the steps of ``[18, 0; 0, -25]`` from corner to corner; None for another shape."""
    text = (text or "").strip()
    if len(text) < len("[]") or text[0] != "[" or text[-1] != "]":
        return None
    steps = []
    for row in filter(None, text[1:-1].strip().split(";")):
        try:
            numbers = [float(cell) for cell in row.replace(",", " ").split()]
        except ValueError:
            return None
        if len(numbers) != 2:
            return None
        steps.append(numbers)
    return steps


def _read_branch(part: Part, entries: dict[str, Any], sids: Sids, unread: SkippedParts) -> None:
    own = part.own
    end = _arrival(part, sids, unread)
    if end is not None:
        entries["to"] = end
    if "Points" in own:
        steps = corners(own["Points"])
        if steps is None:
            unread.add(f"{part.tag}/Points")
        elif steps:
            entries["points"] = steps
    if own.get("ConnectType", "").endswith("_DEST"):
        entries["backwards"] = True
    if own.get("Name"):
        entries["name"] = own["Name"]
    for key in own:
        if key not in _KNOWN:
            unread.add(f"{part.tag}/{key}")


def _start(part: Part, sids: Sids, unread: SkippedParts) -> dict[str, Any] | None:
    return _end(part, "Src", "out", sids, unread)


def _arrival(part: Part, sids: Sids, unread: SkippedParts) -> dict[str, Any] | None:
    """Returns the end of a part of a line; a branch of a physical line may end at its Src."""
    end = _end(part, "Dst", "in", sids, unread)
    return end if end is not None or part.tag == "Line" else _end(part, "Src", "out", sids, unread)


def _end(
    part: Part, which: str, plain: str, sids: Sids, unread: SkippedParts
) -> dict[str, Any] | None:
    own: Mapping[str, str] = part.own
    if own.get(which):
        match = _END.fullmatch(own[which])
        if match is None or match["kind"].lower() not in _KINDS:
            unread.add(f"{part.tag}/{which}")
            return None
        index = int(match["index"] or 1)
        return {"block": match["block"], "kind": match["kind"].lower(), "index": index}
    if which + "Block" in own:
        match = _PORT.fullmatch(own.get(which + "Port", "1").strip())
        kind = (match["kind"].lower() or plain) if match else ""
        if match is None or kind not in _KINDS:
            unread.add(f"{part.tag}/{which}Port")
            return None
        index = int(match["index"] or 1)
        return {"block": sids(own[which + "Block"]), "kind": kind, "index": index}
    return None
