"""Builds the XML tree of a model's diagrams, assigns SIDs, and counts what a file cannot hold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.build.slx.blocks import block_element
from grounded_builder.domains.simulink.build.slx.element import Element, row
from grounded_builder.domains.simulink.build.slx.lines import line_element
from grounded_builder.domains.simulink.read.document import systems

# ``12``, or ``12:3`` and ``12::3`` for blocks in a link or a referenced subsystem.
_SID = re.compile(r"[1-9]\d*(::?\d+)*")
_HIGHEST = "SIDHighWatermark"


def system_element(model: Mapping[str, Any], lost: Counter[str]) -> Element:
    """Returns the outermost diagram with all inner ones; what a file cannot express is counted.

    Notes are numbered after the blocks, because an unused number may be that of a deleted block.
    """
    sids, highest = assign_sids(model)
    stated = (model["system"].get("properties") or {}).get(_HIGHEST, "")
    highest = max(highest, int(stated) if stated.isdecimal() else 0)
    top = Element("System")
    waiting = [(model["system"], top)]
    while waiting:
        system, element = waiting.pop()
        for name, value in (system.get("properties") or {}).items():
            if element is not top or name != _HIGHEST:
                element.add(name, value)
        here = {block["sid"] for block in system["blocks"]}
        for block in system["blocks"]:
            inner = block_element(block, sids[block["sid"]])
            lost["charts and functions, whose code the model does not contain"] += _is_chart(block)
            if block.get("system") is not None:
                inner.inner.append(Element("System"))
                waiting.append((block["system"], inner.inner[-1]))
            element.inner.append(inner)
        for line in system["lines"]:
            there, absent = _drop_loose_ends(line, here)
            lost["line ends at missing blocks"] += absent
            element.inner.append(line_element(there, sids))
        for note in system.get("annotations", ()):
            highest += 1
            element.inner.append(Element("Annotation", {"SID": str(highest)}, list(_note(note))))
    top.add(_HIGHEST, str(highest))
    return top


def assign_sids(model: Mapping[str, Any]) -> tuple[dict[str, str], int]:
    """Returns the SIDs of blocks by ``sid``, which is kept if it is a number, and the highest."""
    every = [block["sid"] for _, _, system in systems(model) for block in system["blocks"]]
    heads = (int(sid.partition(":")[0]) for sid in every if _SID.fullmatch(sid))
    highest = max(heads, default=0)
    sids = {}
    for sid in every:
        if not _SID.fullmatch(sid):
            highest += 1
        sids[sid] = sid if _SID.fullmatch(sid) else str(highest)
    return sids, highest


def _is_chart(block: Mapping[str, Any]) -> bool:
    chart = (block.get("parameters") or {}).get("SFBlockType", "NONE")
    return bool(block["type"] == "SubSystem" and chart != "NONE")


def _drop_loose_ends(line: Mapping[str, Any], here: set[str]) -> tuple[dict[str, Any], int]:
    """Returns a line without ends at blocks outside its diagram, and the number of such ends."""
    entries, absent = dict(line), 0
    for key in ("from", "to"):
        if line.get(key) is not None and line[key]["block"] not in here:
            del entries[key]
            absent += 1
    branches = [_drop_loose_ends(branch, here) for branch in line.get("branches") or ()]
    if branches:
        entries["branches"] = [branch for branch, _ in branches]
    return entries, absent + sum(count for _, count in branches)


def _note(note: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "Name", note["text"]
    if note.get("position"):
        yield "Position", row(note["position"])
    if note.get("interpreter"):
        yield "Interpreter", note["interpreter"]
