"""Builds the diagrams of a model: blocks with sids, forked lines, non-default parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.draw.layout import place_blocks
from grounded_builder.domains.simulink.lower.ports import Port
from grounded_builder.domains.simulink.lower.subsystems import CONTROLS
from grounded_builder.ir.unique_names import UniqueNames

_INPORT = ("Inport", "simulink/Sources/In1")
_CONNECTION = ("PMIOPort", "nesl_utility/Connection Port")
_OUTPORT = ("Outport", "simulink/Sinks/Out1")
# Blocks that are numbered within their diagram.
NUMBERED = (_INPORT[0], _OUTPORT[0], _CONNECTION[0])


@dataclass(slots=True)
class Diagram:
    """A diagram under construction; ``sids`` counts through the whole model.

    ``declared_loops`` are the origins of lines that are declared to close a loop.
    """

    sids: list[int]
    declared_loops: frozenset[Route] = frozenset()
    blocks: list[dict[str, Any]] = field(default_factory=list)
    ends: list[tuple[str, Port, str, Port, Route]] = field(default_factory=list)
    names: UniqueNames = field(default_factory=lambda: UniqueNames(first=1, separator=""))
    joined: set[tuple[str, str, int, str, str, int]] = field(default_factory=set)
    names_of_lines: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def add(
        self, name: str, kind: str, source: str | None, parameters: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Adds a block with a unique name."""
        self.sids[0] += 1
        unique = self.names.claim(name)
        block: dict[str, Any] = {"sid": str(self.sids[0]), "name": unique, "type": kind}
        if source:
            block["source"] = source
        if parameters:
            block["parameters"] = dict(parameters)
        self.blocks.append(block)
        return block

    def join(self, start: str, out: Port, end: str, into: Port, origin: Route) -> None:
        """Connects two blocks of this diagram by their sids."""
        key = (start, out.kind, out.index, end, into.kind, into.index)
        if key not in self.joined:
            self.joined.add(key)
            self.ends.append((start, out, end, into, origin))

    def port(self, *, leaving: bool, physical: bool) -> tuple[dict[str, Any], Port, Port]:
        """Adds a port to the subsystem that contains this diagram.

        Returns its block inside, the port of that block, and the port outside.
        """
        if physical:
            return self._connection("Right" if leaving else "Left")
        kind, source = _OUTPORT if leaving else _INPORT
        number = self.last(kind) + 1
        name = f"{'Out' if leaving else 'In'}{number}"
        block = self.add(name, kind, source, {"Port": str(number)})
        if leaving:
            return block, Port("in", 1), Port("out", number)
        return block, Port("out", 1), Port("in", number)

    def _connection(self, side: str) -> tuple[dict[str, Any], Port, Port]:
        """Adds a port of a physical network, whose block has a single port."""
        kind, source = _CONNECTION
        there = [_side(block) for block in self.blocks if block["type"] == kind]
        beside = there.count(side)
        number = self.last(kind) + 1
        block = self.add(f"Conn{number}", kind, source, {"Port": str(number), "Side": side})
        return block, Port("rconn", 1), Port("rconn" if side == "Right" else "lconn", beside + 1)

    def has(self, kind: str) -> bool:
        """Returns whether the diagram has a block of this BlockType."""
        return any(block["type"] == kind for block in self.blocks)

    def number(self) -> None:
        """Gives port blocks without a number the lowest free ones, as Simulink does."""
        for kind in NUMBERED:
            here = [block for block in self.blocks if block["type"] == kind]
            taken = {
                item["parameters"]["Port"] for item in here if "Port" in item.get("parameters", {})
            }
            free = (str(number) for number in range(1, len(here) + 1) if str(number) not in taken)
            for block in here:
                if "Port" in block.get("parameters", {}):
                    continue
                number = next(free)
                if number != "1":
                    block.setdefault("parameters", {})["Port"] = number

    def last(self, kind: str) -> int:
        """Returns the highest number of the port blocks of this type; 0 where there is none."""
        return max((int(number) for number in self._numbers(kind) if number.isdigit()), default=0)

    def _numbers(self, kind: str) -> list[str]:
        return [
            block.get("parameters", {}).get("Port", "1")
            for block in self.blocks
            if block["type"] == kind
        ]

    def outer_ports(self) -> dict[str, int]:
        """Returns the ports of the subsystem around this diagram by kind."""
        sides = [_side(block) for block in self.blocks if block["type"] == _CONNECTION[0]]
        numbers = {kind: set(self._numbers(kind)) for kind in (_INPORT[0], _OUTPORT[0])}
        counts = {
            "in": len(numbers[_INPORT[0]]),
            "out": len(numbers[_OUTPORT[0]]),
            **{port: int(self.has(part.kind)) for port, part in CONTROLS.items()},
            "lconn": sides.count("Left"),
            "rconn": sides.count("Right"),
        }
        return {side: number for side, number in counts.items() if number}

    def system(self) -> dict[str, Any]:
        """Returns the finished diagram."""
        lines = [line for line, _ in self.lines()]
        frozenset_ = frozenset(
            (end[0], end[2]) for end in self.ends if end[4] in self.declared_loops
        )
        for block, laid in zip(
            self.blocks, place_blocks(self.blocks, lines, frozenset_), strict=True
        ):
            block.update(laid)
        return {"blocks": self.blocks, "lines": lines}

    def lines(self) -> list[tuple[dict[str, Any], list[Route]]]:
        """Returns a line for each output, with branches to its inputs, and its origins."""
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
            elif (start, kind, index) in self.names_of_lines:
                line["name"] = self.names_of_lines[start, kind, index]
            made.append((line, [origin for _, _, origin in targets]))
        return made


def _side(block: Mapping[str, Any]) -> str:
    """Returns the side of a subsystem on which a physical port block adds a port."""
    side: str = block.get("parameters", {}).get("Side", "Left")
    return side


def parameters_beyond(spec: BlockSpec, parameters: Mapping[str, str]) -> dict[str, str]:
    """Returns the parameters that differ from the defaults of the library block."""
    return {
        name: value
        for name, value in parameters.items()
        if name in spec.preset or spec.value(name, {}) != value
    }
