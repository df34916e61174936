"""Determines the ports of a step's block or subsystem, and finds those that a plan names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.catalog.ports.counts import usual_ports_of
from grounded_builder.domains.simulink.lower.subsystems import CONTROLS
from grounded_builder.domains.simulink.read.document import CONTROL
from grounded_builder.domains.simulink.resolve.name_index import fold

_NUMBERED = re.compile(r"^(in|input|out|output|port|lconn|rconn|u|y)?\s*_?(\d+)$", re.IGNORECASE)
# Blocks with any number of inputs, and the parameter that states the number.
WIDENED: Mapping[str, str] = {
    "Scope": "NumInputPorts",
    "Mux": "Inputs",
    "BusCreator": "Inputs",
    "Sum": "Inputs",
    "Product": "Inputs",
    "Logic": "Inputs",
    "MinMax": "Inputs",
    "Merge": "Inputs",
    "Concatenate": "NumInputs",
}


@dataclass(frozen=True, slots=True)
class Port:
    """A port: its kind, its number from 1, and for physical ones its id, label and domain."""

    kind: str
    index: int
    id: str = ""
    label: str = ""
    domain: str = ""

    @property
    def is_physical(self) -> bool:
        """Returns whether it belongs to a physical network."""
        return self.kind in ("lconn", "rconn")


@dataclass(slots=True)
class StepPorts:
    """The ports of a block; ``counts`` is None where they are not known."""

    counts: Mapping[str, int] | None
    ports: tuple[Port, ...]
    taken: set[tuple[str, int]] = field(default_factory=set)
    widens: bool = False

    def outputs(self) -> list[Port]:
        """Returns the ports at which signals can leave."""
        return [port for port in self.ports if port.kind in ("out", "state")]

    def inputs(self) -> list[Port]:
        """Returns the ports at which signals can enter, in order."""
        return [port for port in self.ports if port.kind == "in" or port.kind in CONTROL]

    def physical(self) -> list[Port]:
        """Returns the ports of physical networks."""
        return [port for port in self.ports if port.is_physical]

    def find_port(self, name: str | int, *, leaving: bool, zero_based: bool) -> Port | None:
        """Returns the port that a plan names by number, id, label or kind; None when there is none.

        A number beyond the known ports is accepted here, and reported by the checks.
        """
        kind = "out" if leaving else "in"
        if isinstance(name, int):
            return Port(kind, max(1, name + zero_based))
        wanted = fold(name)
        for port in self.ports:
            if name in (port.id, port.label) and name:
                return port
        for port in self.ports:
            same = wanted and wanted in (fold(port.id), fold(port.label), port.kind)
            if same and (port.is_physical or (port.kind in ("out", "state")) == leaving):
                return port
        numbered = _NUMBERED.match(name.strip())
        if numbered is None:
            return None
        side = (numbered[1] or "").casefold()
        return Port(side if side in ("lconn", "rconn") else kind, max(1, int(numbered[2])))

    def free_input(self) -> Port:
        """Returns the first unused input; one more than there are when all are used."""
        for port in self.inputs():
            if port.kind == "in" and (port.kind, port.index) not in self.taken:
                return port
        count = 1
        while ("in", count) in self.taken:
            count += 1
        return Port("in", count)


def find_block_ports(spec: BlockSpec | None, parameters: Mapping[str, str]) -> StepPorts:
    """Returns the ports of a block with these parameters."""
    if spec is None:
        return StepPorts(None, ())
    counts = usual_ports_of(spec.block_type, spec.path, parameters, spec)
    widens = spec.block_type in WIDENED and WIDENED[spec.block_type] not in parameters
    if counts is None:
        return StepPorts(None, _physical(spec, {}), widens=widens)
    ports = [
        Port(kind, index)
        for kind in ("in", "out", "state", *sorted(CONTROL))
        for index in range(1, counts.get(kind, 0) + 1)
    ]
    return StepPorts(counts, (*ports, *_physical(spec, counts)), widens=widens)


def find_subsystem_ports(spec: BlockSpec, held: Mapping[str, int]) -> StepPorts:
    """Returns the ports of a subsystem: those of its port blocks, else those of the library block.

    Control ports can always be named, because a line to one creates it.
    """
    sides = {"in": held.get("Inport", 0), "out": held.get("Outport", 0)}
    counts = sides if any(sides.values()) else find_block_ports(spec, {}).counts
    controls = tuple(Port(kind, 1) for kind in CONTROLS)
    if counts is None:
        return StepPorts(None, controls)
    plain = [Port(kind, index) for kind in sides for index in range(1, counts.get(kind, 0) + 1)]
    return StepPorts(counts, (*plain, *controls))


def _physical(spec: BlockSpec, counts: Mapping[str, int]) -> tuple[Port, ...]:
    """Returns the physical ports in order on either side, by the catalog or by count."""
    number = {"lconn": 0, "rconn": 0}
    ports: list[Port] = []
    for connection in spec.physical:
        number[connection.kind] += 1
        ports.append(
            Port(
                connection.kind,
                number[connection.kind],
                connection.id,
                connection.label,
                connection.domain,
            )
        )
    if ports:
        return tuple(ports)
    return tuple(
        Port(kind, index)
        for kind in ("lconn", "rconn")
        for index in range(1, counts.get(kind, 0) + 1)
    )
