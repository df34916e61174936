"""Creates the edges of a plan: in sequence, from its inputs, or from sub-nodes to their root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from grounded_builder.catalog.likeness import NearestNames
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, Ports
from grounded_builder.domains.n8n.lower.output_names import find_output
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan, Source, Step
from grounded_builder.ir.rules.order import ASSUMED_ORDER, MISSING_DEPENDENCY
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, UNREAD_KEY

UNKNOWN_OUTPUT = Rule.wrong(
    "GB324", "unknown-output", "InvalidConnection", "A step has no output of this name."
)
STRAY_SUB_NODE = Rule.wrong(
    "GB325",
    "stray-sub-node",
    "InvalidConnection",
    "A sub-node belongs to no step, or to one that does not take it.",
)

_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Wire:
    """One edge between steps, by ids; ``origin`` is its place in the plan."""

    source: str
    kind: str
    output: int
    target: str
    input: int
    origin: Route


def wires(
    plan: Plan, choices: tuple[StepResolution, ...], ports: Mapping[str, Ports]
) -> tuple[tuple[Wire, ...], tuple[Diagnostic, ...]]:
    """Returns all edges of a plan in drafted order, and findings for those that are impossible."""
    out: list[Diagnostic] = []
    attached = {choice.step.id: _role(choice, ports) for choice in choices}
    roots = [c for c in choices if attached[c.step.id] is None and not c.step.parents]
    drawn = [*_main(plan, roots, ports, out)]
    out += _note_other_roles(choices, attached)
    takers, named = _takers(choices, ports), _StepNames(choices)
    filled: Counter[tuple[str, str]] = Counter()
    for choice in choices:
        kind = attached[choice.step.id]
        if kind is not None:
            drawn += (
                replace(wire, input=_next_input(wire, ports, filled))
                for wire in _attachment(choice.step, kind, takers.get(kind, []), named, out)
            )
        else:
            strays = (name for name in choice.step.parents if name not in named.steps)
            out += [_report_missing_host(choice.step, name, named) for name in strays]
    return tuple(dict.fromkeys(drawn)), tuple(out)


def _role(choice: StepResolution, ports: Mapping[str, Ports]) -> str | None:
    """Returns the kind by which a step is a sub-node of another; None for a step of the
    main line.
    """
    outputs = ports[choice.step.id].outputs
    kinds = [kind for kind in outputs or () if kind != MAIN]
    hosts = (ports[host].inputs or () for host in choice.step.parents if host in ports)
    accepted = {kind for inputs in hosts for kind in inputs}
    kinds.sort(key=lambda kind: kind not in accepted)
    if choice.step.role and choice.step.role != MAIN:
        return choice.step.role if not kinds or choice.step.role in kinds else kinds[0]
    if choice.step.parents or (kinds and MAIN not in (outputs or ())):
        return kinds[0] if kinds else choice.step.role
    return None


def _note_other_roles(
    choices: tuple[StepResolution, ...], attached: Mapping[str, str | None]
) -> Iterator[Diagnostic]:
    """Yields a note for each step that is attached by another kind than it states."""
    for choice in choices:
        step, kind = choice.step, attached[choice.step.id] or MAIN
        if step.role and step.role != kind:
            message = f'"as" is "{step.role[:40]}", but "{step.id}" is connected by {kind}'
            yield new_diagnostic(LOOSE_SHAPE, (*step.at, "as"), message, node=step.id)


def _main(
    plan: Plan, roots: list[StepResolution], ports: Mapping[str, Ports], out: list[Diagnostic]
) -> Iterator[Wire]:
    said_anywhere = any(choice.step.inputs is not None for choice in roots)
    bodies = _LoopBodies(plan)
    followers: dict[str, str] = {}
    has_branches = False
    filled: dict[str, int] = {}
    for position, choice in enumerate(roots):
        step = choice.step
        if step.inputs is None:
            if position == 0 or _is_start(step, ports):
                continue
            followed = _steps_before(roots, position, ports)
            # In a straight line a step follows the one before it; behind a branch that is a guess.
            is_guess = said_anywhere and (has_branches or _has_outputs(followed[0], ports))
            if is_guess or len(followed) > 1:
                names = ", ".join(f'"{before.id}"' for before in followed)
                message = f'"{step.id}" names no input and follows {names}'
                out.append(new_diagnostic(ASSUMED_ORDER, step.at, message, node=step.id))
            for before in followed:
                output = _next_output(before, ports, plan)
                yield Wire(before.id, MAIN, output, step.id, 0, step.at)
            continue
        connected: set[str] = set()
        for source in step.inputs:
            has_branches |= followers.setdefault(source.name, step.id) != step.id
            origin = plan.find_step(source.name)
            if origin is None or (origin is step and not source.back):
                continue
            if source.output is None and source.input is None and source.name in connected:
                continue  # the same step again without a port: items would arrive twice
            connected.add(source.name)
            output = _output(source, origin, step, ports, bodies, out)
            index = _input(source, step, ports, filled, out)
            yield Wire(origin.id, MAIN, output, step.id, index, source.at)


def _has_outputs(step: Step, ports: Mapping[str, Ports]) -> bool:
    """Returns whether a step has several outputs in the main line, besides that of its errors."""
    mains = (ports[step.id].outputs or {}).get(MAIN, ())
    return sum(not port.is_error for port in mains) > 1


def _is_start(step: Step, ports: Mapping[str, Ports]) -> bool:
    inputs = ports[step.id].inputs
    return inputs is not None and MAIN not in inputs


def _steps_before(
    roots: list[StepResolution], position: int, ports: Mapping[str, Ports]
) -> list[Step]:
    """Returns the steps that a step without inputs follows: the one before it, and of several
    starts in a row all of them.
    """
    followed = [roots[position - 1].step]
    for choice in reversed(roots[: position - 1]):
        if not _is_start(followed[-1], ports) or not _is_start(choice.step, ports):
            break
        followed.append(choice.step)
    return followed[::-1]


def _next_output(before: Step, ports: Mapping[str, Ports], plan: Plan) -> int:
    """Returns the output by which a sequence continues: the loop output of a loop node."""
    loops = any(
        source.back and plan.find_step(source.name) is not None for source in before.inputs or ()
    )
    named = _outputs_by_name(before, ports)
    return named.get("loop", 0) if loops else 0


def _output(
    source: Source,
    origin: Step,
    step: Step,
    ports: Mapping[str, Ports],
    bodies: _LoopBodies,
    out: list[Diagnostic],
) -> int:
    asked: str | int | None = source.output
    if asked is None and source.name != origin.id and source.name in origin.outputs:
        named = _outputs_by_name(origin, ports)
        if fold_name(source.name) in named and len(named) > 1:
            return named[fold_name(source.name)]
        if len(named) > 1 and len(origin.outputs) == len(named):
            return origin.outputs.index(source.name)
        return _loop_or_first(origin, step, ports, bodies)
    if asked is None:
        return _loop_or_first(origin, step, ports, bodies)
    if isinstance(asked, int):
        return asked
    main = (ports[origin.id].outputs or {}).get(MAIN, ())
    index = find_output(asked, main)
    if index is not None:
        return index
    if asked in origin.outputs:
        return origin.outputs.index(asked)
    named = _outputs_by_name(origin, ports)
    if named or (asked != MAIN and ports[origin.id].outputs is not None):
        hint = f"its outputs: {', '.join(named)}" if named else 'leave "output" out'
        out.append(
            new_diagnostic(
                UNKNOWN_OUTPUT,
                source.at,
                f'"{origin.id}" has no output "{asked}"',
                help=hint,
                node=step.id,
                token=asked,
                alternatives=tuple(named),
            )
        )
    return 0


def _loop_or_first(
    origin: Step, step: Step, ports: Mapping[str, Ports], bodies: _LoopBodies
) -> int:
    """Returns the output of a loop: its loop output for a step from which an edge leads back."""
    named = _outputs_by_name(origin, ports)
    if "loop" in named and step.id in bodies.of(origin):
        return named["loop"]
    return 0


class _LoopBodies:
    """The steps between a loop step and the edges that lead back to it, for each loop step."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._bodies: dict[str, set[str]] = {}

    def of(self, loop: Step) -> set[str]:
        """Returns the ids of the steps in the body of a loop."""
        body = self._bodies.get(loop.id)
        if body is None:
            body = self._bodies[loop.id] = self._find(loop)
        return body

    def _find(self, loop: Step) -> set[str]:
        ends = [
            origin.id
            for source in loop.inputs or ()
            if source.back and (origin := self._plan.find_step(source.name)) is not None
        ]
        body: set[str] = set()
        while ends:
            identity = ends.pop()
            if identity not in body and identity != loop.id:
                body.add(identity)
                ends += self._backward.get(identity, [])
        return body

    @cached_property
    def _backward(self) -> dict[str, list[str]]:
        """The steps that feed each step, by ids."""
        backward: dict[str, list[str]] = {}
        for step in self._plan.steps:
            for source in step.inputs or ():
                origin = self._plan.find_step(source.name)
                if origin is not None:
                    backward.setdefault(step.id, []).append(origin.id)
        return backward


def _outputs_by_name(step: Step, ports: Mapping[str, Ports]) -> dict[str, int]:
    main = (ports[step.id].outputs or {}).get(MAIN, ())
    return {fold_name(port.name): index for index, port in enumerate(main) if port.name}


def _input(
    source: Source,
    step: Step,
    ports: Mapping[str, Ports],
    filled: dict[str, int],
    out: list[Diagnostic],
) -> int:
    """Returns the input of a step: the given number or name, else the next free one."""
    main: tuple[Port, ...] = (ports[step.id].inputs or {}).get(MAIN, ())
    if isinstance(source.input, int):
        return source.input
    if isinstance(source.input, str):
        index = find_output(source.input, main)
        if index is None and source.input != MAIN and ports[step.id].inputs is not None:
            names = tuple(fold_name(port.name) for port in main if port.name)
            out.append(_report_unknown_input(source, step, names))
        return index or 0
    if len(main) < 2 or source.back:
        return 0
    index = min(filled.get(step.id, 0), len(main) - 1)
    filled[step.id] = index + 1
    return index


def _report_unknown_input(source: Source, step: Step, names: tuple[str, ...]) -> Diagnostic:
    hint = f"its inputs: {', '.join(names)}" if names else 'leave "input" out'
    message = f'"{step.id}" has no input "{source.input}"'
    token = str(source.input)
    return new_diagnostic(
        UNREAD_KEY, source.at, message, help=hint, node=step.id, token=token, alternatives=names
    )


def _takers(
    choices: tuple[StepResolution, ...], ports: Mapping[str, Ports]
) -> dict[str, list[Step]]:
    """Returns the steps with an input for sub-nodes, by the kind of input."""
    takers: dict[str, list[Step]] = {}
    for choice in choices:
        for kind in ports[choice.step.id].inputs or ():
            takers.setdefault(kind, []).append(choice.step)
    return takers


class _StepNames:
    """The steps by their ids and the names of their outputs, and the names like unknown ones."""

    def __init__(self, choices: tuple[StepResolution, ...]) -> None:
        self.steps: dict[str, list[Step]] = {}
        for choice in choices:
            for name in {choice.step.id, *choice.step.outputs}:
                self.steps.setdefault(name, []).append(choice.step)
        self.first = tuple(islice(self.steps, _MOST_NAMED))
        self.nearest = NearestNames(self.steps)


def _report_missing_host(step: Step, name: str, named: _StepNames) -> Diagnostic:
    return new_diagnostic(
        MISSING_DEPENDENCY,
        step.at,
        f'"{step.id}" serves "{name}", which is not a step',
        help=f"steps: {', '.join(named.first)}",
        node=step.id,
        token=name,
        alternatives=named.nearest.near(name),
    )


def _attachment(
    step: Step,
    kind: str,
    takers: list[Step],
    named: _StepNames,
    out: list[Diagnostic],
) -> Iterator[Wire]:
    others = list(islice((taker for taker in takers if taker is not step), _MOST_NAMED + 1))
    wanted = step.parents or _hosts_among_inputs(step, takers, named)
    named_by_draft = {parent.id: parent for name in wanted for parent in named.steps.get(name, ())}
    parents = list(named_by_draft.values()) if wanted else others[: len(others) == 1]
    missing = [name for name in wanted if name not in named.steps] if parents else []
    out += [_report_missing_host(step, name, named) for name in missing]
    if not parents:
        likely = [taker.id for taker in others[:_MOST_NAMED]]
        names = ", ".join(likely) or "no step of the plan"
        more = " and others" if len(others) > _MOST_NAMED else ""
        out.append(
            new_diagnostic(
                STRAY_SUB_NODE,
                step.at,
                f'"{step.id}" is a sub-node ({kind}) without a step that it serves',
                help=f'set "for"; steps that take it: {names}{more}',
                node=step.id,
                alternatives=likely,
            )
        )
        out += _report_inputs_of_sub_node(step, []) if step.parents else ()
        return
    for parent in parents:
        yield Wire(step.id, kind, 0, parent.id, 0, step.at)
    out += _report_inputs_of_sub_node(step, parents)


def _next_input(wire: Wire, ports: Mapping[str, Ports], filled: Counter[tuple[str, str]]) -> int:
    """Returns the next free input of a kind: the second model of an agent is its fallback."""
    place = (wire.target, wire.kind)
    count = len((ports[wire.target].inputs or {}).get(wire.kind, ()))
    index = min(filled[place], max(count, 1) - 1)
    filled[place] += 1
    return index


def _hosts_among_inputs(step: Step, takers: list[Step], named: _StepNames) -> tuple[str, ...]:
    """Returns the inputs of a sub-node that take it; all of them if none does."""
    names = tuple(dict.fromkeys(source.name for source in step.inputs or ()))
    taking = {taker.id for taker in takers}
    hosts = [n for n in names if any(host.id in taking for host in named.steps.get(n, ()))]
    return tuple(hosts or [name for name in names if name in named.steps] or names[:1])


def _report_inputs_of_sub_node(step: Step, hosts: list[Step]) -> Iterator[Diagnostic]:
    """Yields a finding for each input of a sub-node that no connection is made from.

    It is a note for an input that is the host itself, or one of the host's own.
    """
    serving = {name for host in hosts for name in (host.id, *host.outputs)}
    before = {source.name for host in hosts for source in host.inputs or ()}
    for source in step.inputs or ():
        name = source.name[:40]
        if source.name not in serving | before:
            host = hosts[0].id if hosts else step.parents[0]
            message = f'"{step.id}" serves "{host[:40]}", and its input "{name}" was not used'
            hint = "leave the inputs of a sub-node out: it is called by the step that it serves"
            yield new_diagnostic(
                UNREAD_KEY, source.at, message, help=hint, node=step.id, token=name
            )
        elif source.name not in serving or source.output or source.input or source.back:
            message = f'a sub-node has no main input; "{name}" was not connected to "{step.id}"'
            if source.name in serving:
                message = f'"{step.id}" serves "{name}"; a sub-node has one output, and no ports'
            yield new_diagnostic(LOOSE_SHAPE, source.at, message, node=step.id)
