"""Opens a model for injection: finds its diagrams and blocks, and changes them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.simulink.read.document import ends, systems

# Blocks of the base library that always have one input and one output.
ONE_TO_ONE = frozenset(
    {
        "Abs",
        "Bias",
        "DataTypeConversion",
        "Gain",
        "Memory",
        "Saturate",
        "Signum",
        "UnaryMinus",
        "UnitDelay",
        "ZeroOrderHold",
    }
)
CONTROLS = frozenset({"EnablePort", "TriggerPort", "ActionPort", "ForEach", "WhileIterator"})


@dataclass(frozen=True, slots=True)
class Diagram:
    """One system of a model with its route."""

    route: Route
    system: dict[str, Any]

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Returns the blocks of the diagram."""
        blocks: list[dict[str, Any]] = self.system["blocks"]
        return blocks

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Returns the lines of the diagram."""
        lines: list[dict[str, Any]] = self.system["lines"]
        return lines

    def at(self, block: Mapping[str, Any]) -> Route:
        """Returns the route of a block."""
        index = next(i for i, item in enumerate(self.blocks) if item is block)
        return (*self.route, "blocks", index)

    def at_line(self, line: Mapping[str, Any]) -> Route:
        """Returns the route of a line."""
        index = next(i for i, item in enumerate(self.lines) if item is line)
        return (*self.route, "lines", index)

    def of(self, *types: str) -> list[dict[str, Any]]:
        """Returns the blocks of these types that are not links."""
        return [b for b in self.blocks if b["type"] in types and "source" not in b]

    def find_block(self, sid: str) -> dict[str, Any] | None:
        """Returns the block with this id, or None."""
        return next((block for block in self.blocks if block["sid"] == sid), None)

    def signals(self) -> list[dict[str, Any]]:
        """Returns the lines that carry signals from an existing block."""
        return [
            line
            for line in self.lines
            if not line.get("physical")
            and "from" in line
            and self.find_block(line["from"]["block"])
        ]

    def list_incoming_lines(
        self, block: Mapping[str, Any], kind: str = "in"
    ) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """Returns the lines into a block, each with its end at the block."""
        return [
            (line, end)
            for line in self.signals()
            for _, end in ends(line, ())
            if isinstance(end, dict) and end["block"] == block["sid"] and end["kind"] == kind
        ]

    def add(self, kind: str, **parameters: str) -> dict[str, Any]:
        """Adds a block and returns it."""
        taken = {block["sid"] for block in self.blocks}
        number = next(n for n in range(900_000, 990_000) if str(n) not in taken)
        block: dict[str, Any] = {
            "sid": str(number),
            "name": f"Injected {number}",
            "type": kind,
            "parameters": dict(parameters),
        }
        self.blocks.append(block)
        return block

    def join(
        self, source: Mapping[str, Any], target: Mapping[str, Any], port: int = 1
    ) -> dict[str, Any]:
        """Adds a line from the first output of a block to an input of another, and returns it."""
        line = {
            "from": {"block": source["sid"], "kind": "out", "index": 1},
            "to": {"block": target["sid"], "kind": "in", "index": port},
        }
        self.lines.append(line)
        return line

    def cut(self, block: Mapping[str, Any]) -> None:
        """Removes every line that touches a block."""
        self.lines[:] = [line for line in self.lines if not _touches(line, block["sid"])]

    def free(self, block: Mapping[str, Any]) -> None:
        """Removes every line into a block."""
        for line, _ in self.list_incoming_lines(block):
            if line in self.lines:
                self.lines.remove(line)

    def remove(self, block: Mapping[str, Any]) -> None:
        """Removes a block and its lines."""
        self.cut(block)
        self.blocks[:] = [item for item in self.blocks if item is not block]


@dataclass(slots=True)
class Scene:
    """A modifiable copy of a model, with the random generator that chooses places."""

    model: dict[str, Any]
    chance: random.Random
    diagrams: list[Diagram] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.diagrams = list(_open_diagrams(self.model))
        self.chance.shuffle(self.diagrams)

    @property
    def whole(self) -> bool:
        """Checks whether the file is a model, not a library or a part."""
        return bool(self.model["kind"] == "model")

    def pick(self, items: list[Any]) -> Any:
        """Returns a random item."""
        return items[self.chance.randrange(len(items))]

    def blocks(self, *types: str) -> list[tuple[Diagram, dict[str, Any]]]:
        """Returns the blocks of these types with their diagrams."""
        return [(diagram, block) for diagram in self.diagrams for block in diagram.of(*types)]

    def subsystems(self) -> list[tuple[Diagram, dict[str, Any], Diagram]]:
        """Returns the open subsystems: the outer diagram, the block, the inner diagram."""
        by_route = {diagram.route: diagram for diagram in self.diagrams}
        return [
            (diagram, block, by_route[inner])
            for diagram in self.diagrams
            for block in diagram.of("SubSystem")
            if (inner := (*diagram.at(block), "system")) in by_route
        ]


def is_active(block: Mapping[str, Any]) -> bool:
    """Checks whether a block is not commented out."""
    properties: Mapping[str, str] = block.get("properties", {})
    return properties.get("Commented", "off") == "off"


def _open_diagrams(model: Mapping[str, Any]) -> Iterator[Diagram]:
    """Yields the systems that are plain diagrams, not those inside charts, links and variants."""
    closed: list[Route] = []
    for route, _, system in systems(model):
        if any(route[: len(item)] == item for item in closed):
            continue
        for index, block in enumerate(system["blocks"]):
            parameters = block.get("parameters", {})
            if (
                "opaque" in block
                or not is_active(block)
                or parameters.get("Variant") == "on"
                or parameters.get("TemplateBlock") is not None
            ):
                closed.append((*route, "blocks", index))
        if isinstance(system, dict):
            yield Diagram(route, system)


def _touches(line: Mapping[str, Any], sid: str) -> bool:
    start = line.get("from")
    arriving = (end for _, end in ends(line, ()))
    return any(end is not None and end["block"] == sid for end in (start, *arriving))
