"""Makes the XML element of a diagram line with its branches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.simulink.build.slx.element import Element, row
from grounded_builder.domains.simulink.read.document import CONTROL

Sids = Mapping[str, str]


def line_element(line: Mapping[str, Any], sids: Sids) -> Element:
    """Returns a line with its branches; ``sids`` maps SIDs of the model to those of the file."""
    physical = bool(line.get("physical"))
    element = Element("Line", {"LineType": "Connection"} if physical else {})
    _corners(element, line, ("Src", line.get("from")), ("Dst", line.get("to")), sids=sids)
    # A physical line without a start forks there, and ends at its only port.
    free = "SRC" if physical and not line.get("from") and line.get("to") else "DEST"
    waiting = [(line, element, free)]
    while waiting:
        here, parent, fork = waiting.pop()
        for branch in here.get("branches") or ():
            joined = "DEST" if branch.get("backwards") else "SRC"
            own = {"ConnectType": f"{fork}_{joined}"} if physical else {}
            inner = Element("Branch", own)
            end = "Src" if branch.get("backwards") else "Dst"
            _corners(inner, branch, (end, branch.get("to")), sids=sids)
            parent.inner.append(inner)
            waiting.append((branch, inner, "SRC" if branch.get("backwards") else "DEST"))
    return element


def _corners(
    element: Element,
    part: Mapping[str, Any],
    *ends: tuple[str, Mapping[str, Any] | None],
    sids: Sids,
) -> None:
    """Adds the name of a line, its start, its corners as steps, and its end."""
    if part.get("name"):
        element.add("Name", part["name"])
    for key, end in ends:
        if end is not None and key == "Src":
            element.add(key, _port(end, sids))
    if part.get("points"):
        steps = (row(step)[1:-1] for step in part["points"])
        element.add("Points", f"[{'; '.join(steps)}]")
    for key, end in ends:
        if end is not None and key == "Dst":
            element.add(key, _port(end, sids))


def _port(end: Mapping[str, Any], sids: Sids) -> str:
    sid, kind = sids[end["block"]], end["kind"]
    return f"{sid}#{kind}" if kind in CONTROL or kind == "state" else f"{sid}#{kind}:{end['index']}"
