"""Reads the diagrams of a model file, from the outermost inwards."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.simulink.read.blocks import numbers, read_block
from grounded_builder.domains.simulink.read.lines import read_line
from grounded_builder.domains.simulink.read.section import Part, UnreadableError
from grounded_builder.domains.simulink.read.skipped_parts import SkippedParts

MISSING_DIAGRAM = Rule.wrong(
    "SLX102", "missing-diagram", "ParseError", "A diagram of the model is missing from its file."
)

_Waiting = tuple[Part, dict[str, Any], Route]


class Sources:
    """The diagrams that a package stores in separate files; each is returned once."""

    def __init__(self, parts: Mapping[str, Part]) -> None:
        self._parts = dict(parts)
        self._given: set[str] = set()

    def take(self, reference: str) -> Part:
        """Returns the diagram of this name; raises UnreadableError if it is missing or repeated."""
        if reference in self._given:
            message = f"two blocks refer to the diagram {reference}: one would contain itself"
            raise UnreadableError(message, MISSING_DIAGRAM)
        self._given.add(reference)
        part = self._parts.get(reference)
        if part is None:
            raise UnreadableError(f"the diagram {reference} is not in the file", MISSING_DIAGRAM)
        return part

    def unreferenced_names(self) -> tuple[str, ...]:
        """Returns the names of diagrams without a reference."""
        return tuple(name for name in self._parts if name not in self._given)


def read_systems(
    top: Part, sources: Sources, unread: SkippedParts
) -> tuple[dict[str, Any], list[Diagnostic]]:
    """Returns the diagram in ``top`` with all inner ones; blocks without a ``SID`` get one."""
    diagnostics: list[Diagnostic] = []
    root: dict[str, Any] = {"blocks": [], "lines": []}
    highest = _Counter()
    waiting: deque[_Waiting] = deque([(top, root, ("system",))])
    while waiting:
        part, system, route = waiting.popleft()
        if "Ref" in part.own:
            try:
                part = sources.take(part.own["Ref"])
            except UnreadableError as error:
                here = route[:-1]
                diagnostics.append(
                    new_diagnostic(
                        error.rule, here, str(error), help="save the file again in Simulink"
                    )
                )
                continue
        _read(part, system, route, waiting, highest, unread)
    return root, diagnostics


class _Counter:
    """Generates ids for blocks without one: ``#1`` and so on, which no file contains."""

    def __init__(self) -> None:
        self._last = 0

    def next(self) -> str:
        self._last += 1
        return f"#{self._last}"


def _read(
    part: Part,
    system: dict[str, Any],
    route: Route,
    waiting: deque[_Waiting],
    highest: _Counter,
    unread: SkippedParts,
) -> None:
    by_name: dict[str, str] = {}
    lines: list[Part] = []
    for inner in part.parts:
        if inner.tag == "Block":
            sid = inner.own.get("SID") or highest.next()
            block = read_block(inner, sid, unread)
            by_name.setdefault(block["name"], sid)
            below = inner.first("System")
            if below is not None:
                block["system"] = {"blocks": [], "lines": []}
                here = (*route, "blocks", len(system["blocks"]), "system")
                waiting.append((below, block["system"], here))
            system["blocks"].append(block)
        elif inner.tag == "Line":
            lines.append(inner)
        elif inner.tag == "Annotation":
            system.setdefault("annotations", []).append(_annotation(inner, unread))
        elif inner.tag != "Ref":
            unread.add(f"System/{inner.tag}")
    # A line may name a block that follows in the text, or that does not exist.
    system["lines"] = [read_line(line, lambda n: by_name.get(n, n), unread) for line in lines]
    if part.own:
        system["properties"] = {
            key: value for key, value in part.own.items() if key not in ("Ref", "Name")
        }


def _annotation(part: Part, unread: SkippedParts) -> dict[str, Any]:
    entries: dict[str, Any] = {"text": part.own.get("Name") or part.own.get("Text", "")}
    position = numbers(part.own.get("Position", ""))
    if position:
        entries["position"] = position
    if part.own.get("Interpreter"):
        entries["interpreter"] = part.own["Interpreter"]
    for inner in part.parts:
        unread.add(f"Annotation/{inner.tag}")
    return entries
