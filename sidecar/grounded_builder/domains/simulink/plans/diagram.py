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
_CONNECTION = ("PMIOPort", "nesl_utility/Connection Port")
_OUTPORT = ("Outport", "simulink/Sinks/Out1")


@dataclass(slots=True)
class Diagram:
    """One diagram in the making; ``sids`` counts through the whole model."""

    sids: list[int]
    blocks: list[dict[str, Any]] = field(default_factory=list)
    ends: list[tuple[str, Port, str, Port, Route]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    joined: set[tuple[str, str, int, str, str, int]] = field(default_factory=set)

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
        key = (start, out.kind, out.index, end, into.kind, into.index)
        if key not in self.joined:
            self.joined.add(key)
            self.ends.append((start, out, end, into, origin))

    def port(self, *, leaving: bool, physical: bool) -> tuple[dict[str, Any], Port, Port]:
        """A new port of the subsystem that holds this diagram.

        Gives the block for it in here, the port of that block, and the port outside.
        """
        if physical:
            return self._connection("Right" if leaving else "Left")
        kind, source = _OUTPORT if leaving else _INPORT
        number = 1 + sum(block["type"] == kind for block in self.blocks)
        name = f"{'Out' if leaving else 'In'}{number}"
        block = self.add(name, kind, source, {"Port": str(number)})
        if leaving:
            return block, Port("in", 1), Port("out", number)
        return block, Port("out", 1), Port("in", number)

    def _connection(self, side: str) -> tuple[dict[str, Any], Port, Port]:
        """A port of a physical network: its block has the one port, whatever its side outside."""
        kind, source = _CONNECTION
        there = [block for block in self.blocks if block["type"] == kind]
        beside = sum(block["parameters"].get("Side") == side for block in there)
        given = {"Port": str(len(there) + 1), "Side": side}
        block = self.add(f"Conn{len(there) + 1}", kind, source, given)
        return block, Port("rconn", 1), Port("rconn" if side == "Right" else "lconn", beside + 1)

    def outer_ports(self) -> dict[str, int]:
        """The ports that the subsystem around this diagram has, by kind."""
        sides = [one.get("parameters", {}).get("Side") for one in self.blocks]
        counts = {
            "in": sum(one["type"] == _INPORT[0] for one in self.blocks),
            "out": sum(one["type"] == _OUTPORT[0] for one in self.blocks),
            "lconn": sides.count("Left"),
            "rconn": sides.count("Right"),
        }
        return {side: number for side, number in counts.items() if number}

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


def parameters_beyond(spec: BlockSpec, parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters that differ from what the block has when it is added from the library."""
    return {
        name: value
        for name, value in parameters.items()
        if name in spec.preset or spec.value(name, {}) != value
    }
