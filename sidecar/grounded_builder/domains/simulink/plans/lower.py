"""Lower a plan: blocks with fitted parameters, lines between ports, subsystems, places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.simulink.document import SHAPE
from grounded_builder.domains.simulink.plans.diagram import Diagram, parameters_beyond, subsystem
from grounded_builder.domains.simulink.plans.fitting import Fitting, fit
from grounded_builder.domains.simulink.plans.naming import block_names
from grounded_builder.domains.simulink.plans.patterns import expand
from grounded_builder.domains.simulink.plans.sockets import Port, Sockets, sockets_of
from grounded_builder.domains.simulink.plans.widening import widen
from grounded_builder.domains.simulink.plans.wiring import Wire, wires
from grounded_builder.domains.simulink.spec import BlockSpec
from grounded_builder.lowering import Choice, Lowered, ResolvedPlan
from grounded_builder.plan import Plan
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting

_LONGEST_NAME = 60


def lower(plan: Plan, choices: tuple[Choice, ...], registry: Registry, setting: Setting) -> Lowered:
    """Make the native model of a plan; holes stand in it as blocks without a type."""
    del setting
    plan, choices, expanded = expand(plan, choices, registry)
    names = block_names(choices)
    fittings = {one.step.id: _fitted(one, names[one.step.id]) for one in choices}
    sockets = {one.step.id: _sockets(one, fittings[one.step.id]) for one in choices}
    drawn, unwired = wires(plan, sockets)
    widened = widen(choices, fittings, drawn, sockets)
    lowering = _Model(choices, names, fittings)
    lowering.place(drawn)
    said = (d for fitting in fittings.values() for d in fitting.diagnostics)
    everything: tuple[Diagnostic, ...] = (*expanded, *said, *unwired, *widened)
    document = {
        "simulink": SHAPE,
        "kind": "model",
        "name": _model_name(plan),
        "layout": "plan",
        "system": lowering.root.system(),
    }
    resolved = _resolved(choices, fittings, drawn)
    return Lowered(document, lowering.origins(), everything, resolved)


class _Model:
    """The diagrams of a model while steps are put into them."""

    def __init__(
        self, choices: tuple[Choice, ...], names: Mapping[str, str], fittings: Mapping[str, Fitting]
    ) -> None:
        self.root = Diagram([0])
        self.choices = choices
        self.names = names
        self.fittings = fittings
        # Diagrams by the name of what holds them, each with the block and the diagram around it.
        self.inside: dict[str, tuple[Diagram, dict[str, Any] | None, Diagram | None]] = {
            "": (self.root, None, None)
        }
        self.blocks: dict[str, dict[str, Any]] = {}
        self.through: dict[tuple[str, str, Port, bool], Port] = {}

    def place(self, drawn: tuple[Wire, ...]) -> None:
        """Put every block and every line into its diagram."""
        holders = {one.step.id for one in self.choices if self._holds(one)}
        for one in self.choices:
            inside = one.step.inside or ""
            diagram = self._diagram(inside, holders)
            self.blocks[one.step.id] = self._block(one, diagram, holders)
        by_id = {one.step.id: one.step for one in self.choices}
        for wire in drawn:
            start, out = self._led_out(
                by_id[wire.source].inside or "", by_id[wire.target].inside or "", wire
            )
            end, into = self._led_in(
                by_id[wire.source].inside or "", by_id[wire.target].inside or "", wire
            )
            where = self._common(by_id[wire.source].inside or "", by_id[wire.target].inside or "")
            self.inside[where][0].join(start, out, end, into, wire.origin)
        for name, (diagram, owner, _) in self.inside.items():
            if name and owner is not None:
                owner["system"] = diagram.system()

    def _holds(self, choice: Choice) -> bool:
        """Whether other steps lie inside this one."""
        inside = {one.step.inside for one in self.choices}
        is_subsystem = choice.spec is not None and choice.spec.block_type == "SubSystem"
        return is_subsystem and choice.step.id in inside

    def _diagram(self, name: str, holders: set[str]) -> Diagram:
        if name not in self.inside:
            if name in holders:
                # The step that holds this one stands later in the plan: its block comes first.
                choice = next(one for one in self.choices if one.step.id == name)
                self._block(choice, self.root, holders)
            else:
                block, diagram = subsystem(self.root, name)
                self.inside[name] = (diagram, block, self.root)
        return self.inside[name][0]

    def _block(self, choice: Choice, diagram: Diagram, holders: set[str]) -> dict[str, Any]:
        step = choice.step
        if step.id in self.blocks:
            return self.blocks[step.id]
        spec: BlockSpec | None = choice.spec
        fitting = self.fittings[step.id]
        parameters = parameters_beyond(spec, fitting.parameters) if spec else fitting.parameters
        kind = spec.block_type if spec is not None else ""
        block = diagram.add(self.names[step.id], kind, spec.path if spec else None, parameters)
        if step.remarks:
            block["properties"] = {"Description": step.remarks}
        if step.id in holders:
            self.inside[step.id] = (Diagram(diagram.sids), block, diagram)
        self.blocks[step.id] = block
        return block

    def _common(self, one: str, two: str) -> str:
        return one if one == two else ""

    def _led_out(self, here: str, there: str, wire: Wire) -> tuple[str, Port]:
        """The end of a wire in the diagram that both ends share, through a port where needed."""
        sid = self.blocks[wire.source]["sid"]
        if here == there or not here:
            return sid, wire.start
        return self._passed(here, wire.source, wire.start, wire.origin, leaving=True)

    def _led_in(self, here: str, there: str, wire: Wire) -> tuple[str, Port]:
        sid = self.blocks[wire.target]["sid"]
        if here == there or not there:
            return sid, wire.end
        diagram, owner, _ = self.inside[there]
        if owner is None:
            return sid, wire.end
        key = (there, f"{wire.source}:{wire.start.kind}{wire.start.index}", wire.start, False)
        if key not in self.through:
            block, port = diagram.port(owner, leaving=False)
            self.through[key] = port
            self.through[there, block["name"], port, False] = port
            self.blocks[f"\0{there}:{port.index}"] = block
        port = self.through[key]
        inner = self.blocks[f"\0{there}:{port.index}"]
        diagram.join(inner["sid"], Port("out", 1), sid, wire.end, wire.origin)
        return owner["sid"], port

    def _passed(
        self, name: str, step: str, out: Port, origin: Route, *, leaving: bool
    ) -> tuple[str, Port]:
        diagram, owner, _ = self.inside[name]
        sid = self.blocks[step]["sid"]
        if owner is None:
            return sid, out
        key = (name, step, out, leaving)
        if key not in self.through:
            block, port = diagram.port(owner, leaving=leaving)
            diagram.join(sid, out, block["sid"], Port("in", 1), origin)
            self.through[key] = port
        return owner["sid"], self.through[key]

    def origins(self) -> dict[Route, Route]:
        """Where every block, parameter and line of the model came from in the plan."""
        found: dict[Route, Route] = {}
        steps = {id(self.blocks[one.step.id]): one for one in self.choices}
        waiting: list[tuple[Route, Diagram]] = [(("system",), self.root)]
        by_owner = {id(owner): diagram for diagram, owner, _ in self.inside.values() if owner}
        while waiting:
            at, diagram = waiting.pop()
            for index, block in enumerate(diagram.blocks):
                here = (*at, "blocks", index)
                choice = steps.get(id(block))
                if choice is not None:
                    found |= self._origin(here, choice)
                if id(block) in by_owner:
                    waiting.append(((*here, "system"), by_owner[id(block)]))
            for index, (line, routes) in enumerate(diagram.lines()):
                here = (*at, "lines", index)
                found[here] = routes[0]
                for branch, route in enumerate(routes):
                    found[(*here, "branches", branch) if "branches" in line else here] = route
        return found

    def _origin(self, here: Route, choice: Choice) -> dict[Route, Route]:
        step, fitting = choice.step, self.fittings[choice.step.id]
        found: dict[Route, Route] = {here: step.at, (*here, "source"): step.tool_at}
        found[*here, "parameters"] = step.params_at if step.params else step.at
        for name, key in fitting.origin.items():
            found[*here, "parameters", name] = (*step.params_at, key)
        return found


def _fitted(choice: Choice, name: str) -> Fitting:
    if choice.spec is None:
        return Fitting()
    step = choice.step
    return fit(choice.spec, choice.preset, step.params, step.params_at, name)


def _sockets(choice: Choice, fitting: Fitting) -> Sockets:
    return sockets_of(choice.spec, fitting.parameters)


def _model_name(plan: Plan) -> str:
    """A name that MATLAB takes for a model: letters, digits and underscores."""
    words = "".join(mark if mark.isascii() and mark.isalnum() else " " for mark in plan.goal)
    name = "_".join(words.split())[:_LONGEST_NAME].strip("_").lower()
    if not name:
        return "model"
    return name if name[0].isalpha() else f"model_{name}"


def _resolved(
    choices: tuple[Choice, ...], fittings: Mapping[str, Fitting], drawn: tuple[Wire, ...]
) -> ResolvedPlan:
    nodes = tuple(
        {
            "id": one.step.id,
            "tool_id": one.tool.id if one.tool is not None else None,
            "params": dict(fittings[one.step.id].parameters),
        }
        for one in choices
    )
    connections = tuple(
        {
            "from": f"{wire.source}:{wire.start.kind}:{wire.start.index}",
            "to": f"{wire.target}:{wire.end.kind}:{wire.end.index}",
        }
        for wire in drawn
    )
    groups: dict[str, list[str]] = {}
    for one in choices:
        if one.step.inside:
            groups.setdefault(one.step.inside, []).append(one.step.id)
    order = [one.step.id for one in choices]
    return ResolvedPlan(nodes, connections, {"order": order, "groups": groups})
