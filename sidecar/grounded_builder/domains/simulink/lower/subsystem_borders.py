"""Places the blocks of a plan in nested diagrams, and connects ports across their borders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.domains.simulink.lower.containment import can_contain, groups_around
from grounded_builder.domains.simulink.lower.diagram import NUMBERED, Diagram, parameters_beyond
from grounded_builder.domains.simulink.lower.parameters import Fitting
from grounded_builder.domains.simulink.lower.ports import Port
from grounded_builder.domains.simulink.lower.subsystems import CONTROLS, Part, is_filled, parts_of
from grounded_builder.domains.simulink.lower.wiring import Wire
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.rules.artifact import CORRECTED

_SUBSYSTEM = ("SubSystem", "simulink/Ports & Subsystems/Subsystem")


class Nesting:
    """The diagrams of one model.

    A step is in the diagram that its ``in`` names: that of another step which is a subsystem, or of
    a subsystem created for the name. A line between two diagrams crosses every border between them
    by a port of its own, or by the port block to which the plan connects it.
    """

    def __init__(
        self,
        choices: tuple[StepResolution, ...],
        names: Mapping[str, str],
        fittings: Mapping[str, Fitting],
        declared_loops: frozenset[Route] = frozenset(),
    ) -> None:
        self.root = Diagram([0], declared_loops)
        self._choices = {resolution.step.id: resolution for resolution in choices}
        self._names = names
        self._fittings = fittings
        groups = {resolution.step.inside for resolution in choices if resolution.step.inside}
        self._holders = {name for name in groups if can_contain(name, self._choices)}
        self._inside: dict[str, tuple[Diagram, dict[str, Any]]] = {}
        self._blocks: dict[str, dict[str, Any]] = {}
        self._ports: dict[tuple[str, bool, str, Port], tuple[str, Port]] = {}
        self.diagnostics: list[Diagnostic] = []
        for choice in choices:
            self._block(choice)
        for choice in choices:
            self._fill(choice)
        for diagram in (self.root, *(diagram for diagram, _ in self._inside.values())):
            diagram.number()

    def connect(self, wires: tuple[Wire, ...]) -> None:
        """Draws every line and finishes the diagrams."""
        for wire in map(self._at_border, wires):
            self._control(wire)
            out, into = self._chain(wire.source), self._chain(wire.target)
            shared = 0
            while shared < min(len(out), len(into)) and out[shared] == into[shared]:
                shared += 1
            start, end = self._owner(wire.source)["sid"], self._owner(wire.target)["sid"]
            leaving, entering = wire.start, wire.end
            if wire.signal:
                self._name(wire, self._diagram(out[-1] if out else ""), start)
            for group in reversed(out[shared:]):
                start, leaving = self._outwards(group, start, leaving, wire.origin)
            for group in into[shared:]:
                start, leaving = self._inwards(
                    group, start, leaving, wire.origin, self._around(group)
                )
            where = into[-1] if into else ""
            # A line from outside already ends in the innermost diagram.
            where = where if len(into) > shared else (out[shared - 1] if shared else "")
            self._diagram(where).join(start, leaving, end, entering, wire.origin)
        for diagram, owner in reversed(self._inside.values()):
            owner["system"] = diagram.system()
            owner["ports"] = diagram.outer_ports()

    def origins(self) -> dict[Route, Route]:
        """Returns the place in the plan of every block, parameter and line of the model."""
        steps = {id(block): self._choices[step] for step, block in self._blocks.items()}
        inner = {id(owner): diagram for diagram, owner in self._inside.values()}
        entries: dict[Route, Route] = {}
        waiting: list[tuple[Route, Diagram]] = [(("system",), self.root)]
        while waiting:
            at, diagram = waiting.pop()
            for index, block in enumerate(diagram.blocks):
                here = (*at, "blocks", index)
                if id(block) in steps:
                    entries |= self._origin(here, steps[id(block)])
                if id(block) in inner:
                    waiting.append(((*here, "system"), inner[id(block)]))
            for index, (line, routes) in enumerate(diagram.lines()):
                here = (*at, "lines", index)
                entries[here] = routes[0]
                if "branches" in line:
                    entries |= {(*here, "branches", at): route for at, route in enumerate(routes)}
        return entries

    def _chain(self, step: str) -> list[str]:
        """Returns the groups around a step, outer ones first."""
        chain: list[str] = []
        for group in groups_around(step, self._choices):
            chain.append(group)
            if group not in self._holders:
                break
        return chain[::-1]

    def _around(self, group: str) -> str:
        """Returns the group around a group; empty for the model itself."""
        chain = self._chain(group) if group in self._holders else []
        return chain[-1] if chain else ""

    def _diagram(self, group: str) -> Diagram:
        if not group:
            return self.root
        if group not in self._inside:
            if group in self._holders:
                owner = self._block(self._choices[group])
            else:
                owner = self.root.add(group, *_SUBSYSTEM)
            self._inside[group] = (Diagram(self.root.sids, self.root.declared_loops), owner)
        return self._inside[group][0]

    def _block(self, choice: StepResolution) -> dict[str, Any]:
        step = choice.step
        if step.id not in self._blocks:
            chain = self._chain(step.id)
            diagram = self._diagram(chain[-1] if chain else "")
            spec, given = choice.spec, self._fittings[step.id].parameters
            parameters = parameters_beyond(spec, given) if spec is not None else dict(given)
            if spec is not None and spec.block_type in NUMBERED and "Port" in given:
                parameters["Port"] = given["Port"]
            kind, source = (spec.block_type, spec.path) if spec is not None else ("", None)
            if spec is not None and spec.bare:
                source = None
            block = diagram.add(self._names[step.id], kind, source, parameters)
            if step.remarks:
                block["properties"] = {"Description": step.remarks}
            self._blocks[step.id] = block
        return self._blocks[step.id]

    def _fill(self, choice: StepResolution) -> None:
        """Adds the blocks that a library subsystem contains.

        For one that contains steps, these are only the blocks that determine its type.
        """
        name = choice.step.id
        held = name in self._inside
        if not held and not is_filled(choice.spec, self._fittings[name].parameters):
            return
        diagram = self._diagram_of(name)
        if not held:
            first, out, _ = diagram.port(leaving=False, physical=False)
            last, into, _ = diagram.port(leaving=True, physical=False)
            diagram.join(first["sid"], out, last["sid"], into, choice.step.at)
        for part in parts_of(choice.spec):
            _put(part, diagram)

    def _diagram_of(self, name: str) -> Diagram:
        """Returns the diagram of a subsystem, which is new where nothing is in it yet."""
        if name not in self._inside:
            self._inside[name] = (
                Diagram(self.root.sids, self.root.declared_loops),
                self._blocks[name],
            )
        return self._inside[name][0]

    def _owner(self, name: str) -> dict[str, Any]:
        """Returns the block of a step or of a group."""
        return self._blocks[name] if name in self._blocks else self._inside[name][1]

    def _at_border(self, wire: Wire) -> Wire:
        """Returns a line to a port block from outside as a line to that port of its subsystem."""
        group = self._crossed_group(wire.target, "Inport", wire.source)
        if group:
            number = self._number(wire.target)
            wire = replace(wire, target=group, end=Port("in", number))
        group = self._crossed_group(wire.source, "Outport", wire.target)
        if group:
            number = self._number(wire.source)
            wire = replace(wire, source=group, start=Port("out", number))
        return wire

    def _crossed_group(self, step: str, kind: str, other: str) -> str:
        """Returns the group of a port block if the line's other end is outside it; else empty."""
        chain = self._chain(step)
        if not chain or self._owner(step)["type"] != kind or chain[-1] in self._chain(other):
            return ""
        return "" if other == chain[-1] else chain[-1]

    def _number(self, step: str) -> int:
        text = self._owner(step).get("parameters", {}).get("Port", "1")
        return int(text) if text.isdecimal() and len(text) < 6 else 1

    def _name(self, wire: Wire, diagram: Diagram, start: str) -> None:
        """Names the line of a signal where it begins; of several names the first counts."""
        known = diagram.names_of_lines.setdefault(
            (start, wire.start.kind, wire.start.index), wire.signal
        )
        if known != wire.signal:
            message = f'the signal of "{wire.source}" is named "{known}", not "{wire.signal}"'
            self.diagnostics.append(
                new_diagnostic(CORRECTED, wire.origin, message, node=wire.target)
            )

    def _control(self, wire: Wire) -> None:
        """Adds the block for the control port to which a line leads, with a finding."""
        part = CONTROLS.get(wire.end.kind)
        if part is None or wire.target not in self._inside:
            return
        if _put(part, self._inside[wire.target][0]):
            message = f'"{wire.target}" got the block {part.name} for a line to its {wire.end.kind}'
            self.diagnostics.append(
                new_diagnostic(CORRECTED, wire.origin, f"{message} port", node=wire.target)
            )

    def _outwards(self, group: str, start: str, port: Port, origin: Route) -> tuple[str, Port]:
        """Draws a signal out of a group; returns its end outside."""
        diagram, owner = self._inside[group]
        key = (group, True, start, port)
        if key not in self._ports:
            block, inner, outer = diagram.port(leaving=True, physical=port.is_physical)
            diagram.join(start, port, block["sid"], inner, origin)
            self._ports[key] = owner["sid"], outer
        return self._ports[key]

    def _inwards(
        self, group: str, start: str, port: Port, origin: Route, around: str
    ) -> tuple[str, Port]:
        """Draws a signal into a group; returns its end inside."""
        diagram, owner = self._inside[group]
        key = (group, False, start, port)
        if key not in self._ports:
            block, inner, outer = diagram.port(leaving=False, physical=port.is_physical)
            self._diagram(around).join(start, port, owner["sid"], outer, origin)
            self._ports[key] = block["sid"], inner
        return self._ports[key]

    def _origin(self, here: Route, choice: StepResolution) -> dict[Route, Route]:
        step, fitting = choice.step, self._fittings[choice.step.id]
        entries: dict[Route, Route] = {here: step.at, (*here, "source"): step.tool_at}
        entries[*here, "parameters"] = step.params_at if step.params else step.at
        for name, key in fitting.origin.items():
            entries[*here, "parameters", name] = (*step.params_at, key)
        return entries


def _put(part: Part, diagram: Diagram) -> bool:
    """Adds a part that a diagram lacks; returns whether it was added."""
    if diagram.has(part.kind):
        return False
    diagram.add(part.name, part.kind, part.source, part.parameters)
    return True
