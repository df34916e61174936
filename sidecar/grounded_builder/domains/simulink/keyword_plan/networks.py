"""Join physical elements to networks, with what every network needs.

Elements of a circuit stand in a row around the source, or side by side where the request says
parallel. In all other domains they act on one node against a reference. A circuit has its
reference, each network its solver, and each physical signal its converter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec, Connection
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.plan_builder import SketchBuilder, Step
from grounded_builder.domains.simulink.keyword_plan.sinks_and_sensors import (
    placed,
    port_meant,
    sensors_asked,
)
from grounded_builder.domains.simulink.keyword_plan.text import Text

_SOLVER = "nesl_utility/Solver Configuration"
_INTO, _OUT_OF = "nesl_utility/Simulink-PS Converter", "nesl_utility/PS-Simulink Converter"
_VOLTAGE = "fl_lib/Electrical/Electrical Sources/Controlled Voltage Source"
_ELECTRICAL, _SIGNAL = "electrical", "signal"
_PARALLEL = re.compile(r"\bparallel\b", re.IGNORECASE)
_THROUGH = re.compile(r"\b(through|between|series|connected|via)\b", re.IGNORECASE)
_BESIDE = re.compile(r"\bparallel( with| to)( an?| the)?\s+$", re.IGNORECASE)

# A port of a step: its id and the name of the port.
End = tuple[str, str]


@dataclass(slots=True)
class _Element:
    """A physical block as drawn."""

    step: Step
    one: Mention

    @property
    def name(self) -> str:
        return str(self.step["id"])

    def ports(self, domain: str) -> list[str]:
        """Its ports of a domain as ends of lines name them, left ones first."""
        return [name for name, port in named_ports(self.one.spec) if port.domain == domain]

    def domains(self) -> list[str]:
        """The domains of its ports but for signals, each once."""
        found = (port.domain for port in self.one.spec.physical if port.domain != _SIGNAL)
        return list(dict.fromkeys(found))

    @property
    def is_sensor(self) -> bool:
        return self.one.spec.name.endswith("Sensor")

    @property
    def is_source(self) -> bool:
        return self.one.spec.name.endswith(("Source", "Battery"))


def named_ports(spec: BlockSpec) -> Iterator[tuple[str, Connection]]:
    """The physical ports of a block with their names by side and number."""
    counts = {"lconn": 0, "rconn": 0}
    for port in spec.physical:
        counts[port.kind] += 1
        side = "LConn" if port.kind == "lconn" else "RConn"
        yield f"{side}{counts[port.kind]}", port


@dataclass(slots=True)
class Network:
    """The networks of one request; ``inputs`` take signals, ``outputs`` give them."""

    text: Text
    lexicon: Lexicon
    drawing: SketchBuilder
    inputs: list[Step] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def draw(self, mentions: list[Mention], *, driven: bool, controlled: bool) -> None:
        """Join these elements; a signal may drive them, and a loop may be around them."""
        given = [one for one in mentions if not self._is_structure(one)]
        given += sensors_asked(self.text, given, self.lexicon, controlled=controlled)
        elements = [_Element(self.drawing.add(one), one) for one in given]
        if elements and not driven and not any(element.is_source for element in elements):
            self.drawing.note(elements[0].name, "the network names no source")
        domains = list(dict.fromkeys(d for element in elements for d in element.domains()))
        sources = [
            element
            for element in elements
            if element.is_source and _ELECTRICAL in element.domains()
        ]
        if _ELECTRICAL in domains and not sources and driven:
            elements.insert(0, self._supplied())
        anchors: dict[str, End] = {}
        for domain in domains:
            members = [element for element in elements if element.ports(domain)]
            if domain == _ELECTRICAL:
                anchors[domain] = self._circuit(members)
            else:
                anchors[domain] = self._node(domain, members)
        self._solved(elements, anchors)
        for one in elements:
            self._signals(one)

    def _is_structure(self, one: Mention) -> bool:
        """Whether a block is one that every network gets anyway."""
        return one.tool in (_SOLVER, _INTO, _OUT_OF) or one.spec.name.endswith("Reference")

    def _supplied(self) -> _Element:
        spec = self.lexicon.spec(_VOLTAGE)
        one = Mention(_VOLTAGE, spec, 0, 0)
        step = self.drawing.put(_VOLTAGE, {})
        self.drawing.note(step["id"], "the circuit names no source: a controlled one was added")
        return _Element(step, one)

    def _circuit(self, members: list[_Element]) -> End:
        """A row of elements from the source and back to it; sensors of voltage lie across."""
        across = [
            member for member in members if member.is_sensor and "Voltage" in member.one.spec.name
        ]
        row = [member for member in members if member not in across]
        row.sort(key=lambda one: (not one.is_source, not one.is_sensor))
        aside = _PARALLEL.search(self.text.request) is not None
        named = [one for one in row if _BESIDE.search(self.text.before(one.one.start, 40))]
        first, *rest = row
        top, ground = self._ends(first)
        last = top
        for at, one in enumerate(rest):
            into, out = self._ends(one)
            beside = aside and not one.is_sensor and (not named or one in named)
            if beside and named and at:
                before = self._ends(rest[at - 1])
                self._join(before[0], into)
                self._join(out, before[1])
                continue
            if beside and not named:
                self._join(last, into)
                self._join(out, ground)
                continue
            self._join(last, into)
            last = out
        if rest and not (aside and not named):
            self._join(last, ground)
        reference = self._reference(_ELECTRICAL)
        if reference is not None:
            self._join(ground, reference)
        for one in across:
            target = placed(one.one, [known.one for known in row], self.text)
            element = next((known for known in row if known.one is target), row[-1])
            into, out = self._ends(element)
            left, right = self._ends(one)
            self._join(into, left)
            self._join(out, right)
        return ground

    def _ends(self, one: _Element) -> tuple[End, End]:
        """Where a current enters an element of a circuit, and where it leaves it."""
        ports = one.ports(_ELECTRICAL)
        return (one.name, ports[0]), (one.name, ports[-1])

    def _node(self, domain: str, members: list[_Element]) -> End:
        """All elements of a domain at one node, and against its reference."""
        anchor: End = (members[0].name, members[0].ports(domain)[0])
        for one in members[1:]:
            self._join(anchor, (one.name, one.ports(domain)[0]))
        if len(members) > 2 and _THROUGH.search(self.text.request):
            said = f"all {domain} elements were joined at one node, and against its reference"
            self.drawing.note(anchor[0], said)
        against = [member for member in members if len(member.ports(domain)) > 1]
        if against:
            reference = self._reference(domain)
            if reference is not None:
                for one in against:
                    self._join((one.name, one.ports(domain)[1]), reference)
                return reference
        return anchor

    def _reference(self, domain: str) -> End | None:
        """The block of the library that is the reference of a domain."""
        for tool, row in self.lexicon.registry.tools.items():
            if not row.name.endswith("Reference") or row.package != "fl_lib" or row.hidden:
                continue
            spec = self.lexicon.spec(tool)
            if [port.domain for port in spec.physical] == [domain]:
                step = self.drawing.put(tool, {})
                return str(step["id"]), "LConn1"
        return None

    def _solved(self, elements: list[_Element], anchors: dict[str, End]) -> None:
        """One solver for the domains that blocks join, each."""
        groups: list[set[str]] = []
        for element in elements:
            here = set(element.domains())
            near = [group for group in groups if group & here]
            groups = [group for group in groups if not group & here]
            groups.append(here.union(*near))
        for group in groups:
            domain = next((known for known in anchors if known in group), None)
            if domain is not None:
                solver = self.drawing.put(_SOLVER, {})
                self._join((solver["id"], "RConn1"), anchors[domain])

    def _signals(self, one: _Element) -> None:
        """Converters at the ports where a block gives or takes a physical signal."""
        ports = [(name, port) for name, port in named_ports(one.one.spec) if port.domain == _SIGNAL]
        if not ports:
            return
        if one.is_sensor:
            name = port_meant(one.one, ports, self.text)
            step = self.drawing.put(_OUT_OF, {})
            self._join((one.name, name), (step["id"], "LConn1"))
            self.outputs.append(step["id"])
            return
        for name, _ in ports:
            step = self.drawing.put(_INTO, {})
            self._join((step["id"], "RConn1"), (one.name, name))
            self.inputs.append(step)

    def _join(self, start: End, end: End) -> None:
        """Join two ports of a network; the later block has it among its inputs."""
        order = [known["id"] for known in self.drawing.steps]
        if order.index(start[0]) > order.index(end[0]):
            start, end = end, start
        step = self.drawing.step(end[0])
        step["inputs"].append({"from": start[0], "output": start[1], "input": end[1]})
