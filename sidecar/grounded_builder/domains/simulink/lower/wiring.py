"""Determines the connections of a plan from port to port: by inputs, or in sequence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.domains.simulink.lower.ports import Port, StepPorts
from grounded_builder.ir.plan import Plan, Source, Step
from grounded_builder.ir.rules.edges import UNKNOWN_PORT
from grounded_builder.ir.rules.order import ASSUMED_ORDER


@dataclass(frozen=True, slots=True)
class Wire:
    """A connection between steps by id; ``origin`` is its place in the plan.

    ``signal`` is the name of the signal.
    """

    source: str
    start: Port
    target: str
    end: Port
    origin: Route
    signal: str = ""


def wires(
    plan: Plan, sockets: Mapping[str, StepPorts]
) -> tuple[tuple[Wire, ...], tuple[Diagnostic, ...]]:
    """Returns all connections of a plan in drafted order, and findings on those that failed."""
    out: list[Diagnostic] = []
    zero_based = _counts_from_zero(plan)
    drawn: dict[Wire, None] = {}
    named = _index_steps(plan)
    _reserve(plan, named, sockets, zero_based=zero_based)
    for step, source, origin in _edges(plan, named, sockets, out):
        wire = _wire(step, source, origin, sockets, out, zero_based=zero_based)
        if wire is not None:
            drawn[wire] = None
    return tuple(drawn), tuple(out)


def _index_steps(plan: Plan) -> dict[str, Step]:
    """Returns every step by its id, or by the names of its outputs, as ``Plan.find_step`` does."""
    entries: dict[str, Step] = {}
    for step in plan.steps:
        entries.setdefault(step.id, step)
    for step in plan.steps:
        for name in step.outputs:
            entries.setdefault(name, step)
    return entries


def _counts_from_zero(plan: Plan) -> bool:
    """Returns whether the plan counts ports from 0; Simulink counts from 1."""
    return any(
        0 in (source.output, source.input) for step in plan.steps for source in step.inputs or ()
    )


def _reserve(
    plan: Plan, named: Mapping[str, Step], sockets: Mapping[str, StepPorts], *, zero_based: bool
) -> None:
    """Reserves the ports that are named, so that inputs without a name do not take them."""
    for step in plan.steps:
        for source in step.inputs or ():
            if source.input is not None:
                port = sockets[step.id].find_port(
                    source.input, leaving=False, zero_based=zero_based
                )
                if port is not None:
                    sockets[step.id].taken.add((port.kind, port.index))
            origin = named.get(source.name)
            if source.output is not None and origin is not None:
                port = sockets[origin.id].find_port(
                    source.output, leaving=True, zero_based=zero_based
                )
                if port is not None and port.is_physical:
                    sockets[origin.id].taken.add((port.kind, port.index))


def _edges(
    plan: Plan, named: Mapping[str, Step], sockets: Mapping[str, StepPorts], out: list[Diagnostic]
) -> Iterator[tuple[Step, Source, Step]]:
    said_anywhere = any(step.inputs is not None for step in plan.steps)
    for position, step in enumerate(plan.steps):
        if step.inputs is None:
            before = plan.steps[position - 1] if position else None
            if before is None or not _follows(before, step, sockets, is_stated=said_anywhere):
                continue
            if said_anywhere:
                message = f'"{step.id}" names no input and follows "{before.id}"'
                out.append(new_diagnostic(ASSUMED_ORDER, step.at, message, node=step.id))
            yield step, Source(before.id, step.at), before
            continue
        for source in step.inputs:
            origin = named.get(source.name)
            if origin is not None:
                yield step, source, origin


def _follows(
    before: Step, step: Step, sockets: Mapping[str, StepPorts], *, is_stated: bool
) -> bool:
    """Returns whether the preceding step feeds a step without inputs: both have a free port."""
    start, end = sockets[before.id], sockets[step.id]
    if before.inside != step.inside or (is_stated and end.counts is None):
        return False
    if is_stated and (start.physical() or end.physical()) and not _can_connect(start, end):
        return False
    leaves = start.counts is None or bool(start.outputs() or start.physical())
    enters = end.counts is None or end.widens or bool(end.inputs() or end.physical())
    return leaves and enters


def _can_connect(start: StepPorts, end: StepPorts) -> bool:
    """Returns whether two blocks have matching signal ports, or physical ports of one domain."""
    if start.outputs() and (end.inputs() or end.widens):
        return True
    domains = {port.domain for port in start.physical()} & {port.domain for port in end.physical()}
    return bool(domains - {""})


def _wire(
    step: Step,
    source: Source,
    origin: Step,
    sockets: Mapping[str, StepPorts],
    out: list[Diagnostic],
    *,
    zero_based: bool,
) -> Wire | None:
    leaving, entering = sockets[origin.id], sockets[step.id]
    start = _find_output(source, origin, leaving, zero_based=zero_based)
    end = None
    if source.input is not None:
        end = entering.find_port(source.input, leaving=False, zero_based=zero_based)
        if end is None:
            out.append(_no_port(source, step, source.input, entering))
            return None
    if source.output is not None and start is None:
        out.append(_no_port(source, origin, source.output, leaving))
        return None
    start, end = _pair_ports(start, end, leaving, entering)
    leaving.taken.add((start.kind, start.index))
    entering.taken.add((end.kind, end.index))
    return Wire(origin.id, start, step.id, end, source.at, source.signal)


def _find_output(
    source: Source, origin: Step, leaving: StepPorts, *, zero_based: bool
) -> Port | None:
    """Returns the output that is named by port, or by one of several output names."""
    if source.output is not None:
        if isinstance(source.output, str) and source.output in origin.outputs:
            return Port("out", origin.outputs.index(source.output) + 1)
        return leaving.find_port(source.output, leaving=True, zero_based=zero_based)
    if source.name in origin.outputs and source.name != origin.id:
        at = origin.outputs.index(source.name)
        if at < len(leaving.outputs()):
            return leaving.outputs()[at]
    return None


def _pair_ports(
    start: Port | None, end: Port | None, leaving: StepPorts, entering: StepPorts
) -> tuple[Port, Port]:
    """Returns both ends, missing ones chosen: two signals, or two physical ports of one kind."""
    if start is None and end is None:
        if leaving.outputs() and (entering.inputs() or entering.widens or entering.counts is None):
            return leaving.outputs()[0], entering.free_input()
        pair = _physical_pair(leaving.physical(), entering.physical(), leaving, entering)
        return pair or (_first(leaving), entering.free_input())
    if start is None and end is not None:
        if end.is_physical:
            pair = _physical_pair(leaving.physical(), [end], leaving, entering)
            return pair or (_first(leaving), end)
        return _first(leaving), end
    if start is not None and end is None:
        if start.is_physical:
            pair = _physical_pair([start], entering.physical(), leaving, entering)
            return pair or (start, entering.free_input())
        return start, entering.free_input()
    assert start is not None and end is not None  # noqa: S101, PT018 - the cases above
    return start, end


def _first(leaving: StepPorts) -> Port:
    outputs = leaving.outputs()
    if outputs:
        return outputs[0]
    physical = leaving.physical()
    return physical[-1] if physical and leaving.counts is not None else Port("out", 1)


def _physical_pair(
    starts: list[Port], ends: list[Port], leaving: StepPorts, entering: StepPorts
) -> tuple[Port, Port] | None:
    """Returns two physical ports of one domain: free ones first, from right to left."""
    best: tuple[int, int, int, Port, Port] | None = None
    for at, start in enumerate(starts):
        for number, two in enumerate(ends):
            if start.domain and two.domain and start.domain != two.domain:
                continue
            busy = ((start.kind, start.index) in leaving.taken) + (
                (two.kind, two.index) in entering.taken
            )
            against = (start.kind == "lconn") + (two.kind == "rconn")
            candidate = (busy, against, at + number, start, two)
            if best is None or candidate[:3] < best[:3]:
                best = candidate
    return (best[3], best[4]) if best is not None else None


def _no_port(source: Source, step: Step, port: str | int, sockets: StepPorts) -> Diagnostic:
    names = [item.id or f"{item.kind}{item.index}" for item in sockets.ports]
    return new_diagnostic(
        UNKNOWN_PORT,
        source.at,
        f'step "{step.id}" has no port "{port}"',
        help=f"its ports: {', '.join(names)}" if names else "name the port by its number",
        node=step.id,
        token=str(port),
        alternatives=names[:8],
    )
