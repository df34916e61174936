"""Build the diagrams of a model: blocks with sids, lines that fork, ports of subsystems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.simulink.plans.layout import positions
from grounded_builder.domains.simulink.plans.sockets import Port
from grounded_builder.domains.simulink.spec import BlockSpec

_INPORT = ("Inport", "simulink/Sources/In1")
_OUTPORT = ("Outport", "simulink/Sinks/Out1")
_SUBSYSTEM = ("SubSystem", "simulink/Ports & Subsystems/Subsystem")


@dataclass(slots=True)
class Diagram:
    """One diagram in the making; ``sids`` counts through the whole model."""

    sids: list[int]
    blocks: list[dict[str, Any]] = field(default_factory=list)
    ends: list[tuple[str, Port, str, Port, Route]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def add(
        self, name: str, kind: str, source: str | None, parameters: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Add a block under a name that is its own here."""
        unique, number = name, 0
        while unique.casefold() in self.names:
            number += 1
            unique = f"{name}{number}"
        self.names.add(unique.casefold())
        self.sids[0] += 1
        block: dict[str, Any] = {"sid": str(self.sids[0]), "name": unique, "type": kind}
        if source:
            block["source"] = source
        if parameters:
            block["parameters"] = dict(parameters)
        self.blocks.append(block)
        return block

    def join(self, start: str, out: Port, end: str, into: Port, origin: Route) -> None:
        """Connect two blocks of this diagram, by their sids."""
        if (start, out, end, into) not in [one[:4] for one in self.ends[-50:]]:
            self.ends.append((start, out, end, into, origin))

    def port(self, owner: dict[str, Any], *, leaving: bool) -> tuple[dict[str, Any], Port]:
        """A new port of the subsystem that holds this diagram, and the block for it in here."""
        kind, source = _OUTPORT if leaving else _INPORT
        side = "out" if leaving else "in"
        counts = owner.setdefault("ports", {})
        counts[side] = counts.get(side, 0) + 1
        number = counts[side]
        name = f"{'Out' if leaving else 'In'}{number}"
        return self.add(name, kind, source, {"Port": str(number)}), Port(side, number)

    def system(self) -> dict[str, Any]:
        """The finished diagram."""
        kinds = {block["sid"]: block["type"] for block in self.blocks}
        counts: dict[str, int] = {}
        for start, out, end, into, _ in self.ends:
            counts[start] = max(counts.get(start, 1), out.index)
            counts[end] = max(counts.get(end, 1), into.index)
        places = positions(kinds, ((one[0], one[2]) for one in self.ends), counts)
        for block in self.blocks:
            block["position"] = places[block["sid"]]
        return {"blocks": self.blocks, "lines": [line for line, _ in self.lines()]}

    def lines(self) -> list[tuple[dict[str, Any], list[Route]]]:
        """One line for each output, forked where it leads to several inputs, with its origins."""
        grouped: dict[tuple[str, str, int], list[tuple[str, Port, Route]]] = {}
        for start, out, end, into, origin in self.ends:
            grouped.setdefault((start, out.kind, out.index), []).append((end, into, origin))
        made: list[tuple[dict[str, Any], list[Route]]] = []
        for (start, kind, index), targets in grouped.items():
            line: dict[str, Any] = {"from": {"block": start, "kind": kind, "index": index}}
            arrivals = [
                {"to": {"block": end, "kind": into.kind, "index": into.index}}
                for end, into, _ in targets
            ]
            if len(arrivals) == 1:
                line |= arrivals[0]
            else:
                line["branches"] = arrivals
            if kind in ("lconn", "rconn"):
                line["physical"] = True
            made.append((line, [origin for _, _, origin in targets]))
        return made


def subsystem(diagram: Diagram, name: str) -> tuple[dict[str, Any], Diagram]:
    """A new subsystem in a diagram, and the diagram that it holds."""
    block = diagram.add(name, *_SUBSYSTEM)
    return block, Diagram(diagram.sids)


def parameters_beyond(spec: BlockSpec, parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters that differ from what the block has when it is added from the library."""
    return {
        name: value
        for name, value in parameters.items()
        if name in spec.preset or spec.value(name, {}) != value
    }
