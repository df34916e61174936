"""Reports dangling or misdirected lines, missing ports, and inputs with no line or with two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Related, Route, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram, ModelView, Net
from grounded_builder.domains.simulink.analysis.port_counts import count_ports
from grounded_builder.domains.simulink.read.document import CONTROL, PHYSICAL
from grounded_builder.ir.rules.edges import (
    DANGLING_EDGE,
    MISMATCHED_EDGE,
    TOO_MANY_EDGES,
    UNKNOWN_PORT,
)

UNCONNECTED_PORT = Rule.advice(
    "SLX321", "unconnected-port", "InvalidConnection", "An input of a block has no line."
)
DANGLING_LINE = Rule.advice(
    "SLX322", "dangling-line", "InvalidConnection", "A line end is not connected."
)

_SOURCES = frozenset({"out", "state"})
_TARGETS = CONTROL | {"in"}
# Kinds of port as engineers call them.
SPOKEN = {
    "in": "input",
    "out": "output",
    "enable": "enable port",
    "trigger": "trigger port",
    "state": "state port",
    "lconn": "physical port on the left",
    "rconn": "physical port on the right",
    "ifaction": "action port",
    "reset": "reset port",
    "event": "event port",
}
# Blocks that compute: their output is data and never an action, which other blocks may pass on.
COMPUTING = frozenset(
    """
    Abs Bias Clock Constant DataTypeConversion Delay DiscreteIntegrator Gain Ground Integrator Logic
    Lookup_n-D Math Memory MinMax Product RelationalOperator Relay Saturate Sin Sqrt Step Sum Switch
    TransferFcn Trigonometry UnaryMinus UnitDelay ZeroOrderHold
    """.split()
)

_Port = tuple[str, str, int]


def check_wiring(view: ModelView) -> Iterator[Diagnostic]:
    """Finds dangling ends, ports that do not exist or have two lines, and unconnected inputs."""
    for diagram in view.checked_diagrams():
        known = {id(item): count_ports(item) for item in diagram.items}
        driven: dict[_Port, tuple[Net, Route]] = {}
        doubtful: set[str] = set()
        for net in diagram.nets:
            yield from _ends(net, known, doubtful)
            yield from _check_single_line(net, driven)
            yield from _check_loose_ends(net, diagram)
        for item in diagram.items:
            if item.active and item.block["sid"] not in doubtful:
                yield from _check_unconnected(item, known[id(item)], driven)


def _ends(
    net: Net, known: Mapping[int, Mapping[str, int] | None], doubtful: set[str]
) -> Iterator[Diagnostic]:
    """Checks each end of a line by itself, and then against the first."""
    for at, end, item in net.ends():
        if item is None:
            yield _report_missing_block(net, at, end["block"])
            continue
        there = known[id(item)]
        kind, index = end["kind"], end["index"]
        if there is not None and not 1 <= index <= there.get(kind, 0):
            doubtful.add(item.block["sid"])
            yield _report_missing_port(item, kind, index, there, at)
    if not net.physical:
        yield from _directions(net, doubtful)
    else:
        yield from _physical(net)


def _report_missing_block(net: Net, at: Route, sid: str) -> Diagnostic:
    other = next((item for _, _, item in net.ends() if item is not None), None)
    names = [item.block["name"] for item in other.diagram.items] if other is not None else []
    near = find_nearest(sid, names) if not sid.isdigit() else ()
    return new_diagnostic(
        DANGLING_EDGE,
        at,
        f'a line ends at block "{sid}", which is not in this diagram',
        help="connect it to a block of the diagram, or remove it",
        node=other.name if other is not None else None,
        token=sid,
        alternatives=near,
    )


def _report_missing_port(
    item: BlockView, kind: str, index: int, there: Mapping[str, int], at: Route
) -> Diagnostic:
    count = there.get(kind, 0)
    plural = "" if count == 1 else "s"
    has = f"it has {count} {SPOKEN[kind]}{plural}" if count else f"it has no {SPOKEN[kind]}"
    return new_diagnostic(
        UNKNOWN_PORT,
        at,
        f'"{item.name}" has no {SPOKEN[kind]} {index}: {has}',
        help="connect another port, or set the parameter for the number of ports",
        node=item.name,
        token=f"{kind}:{index}",
        related=[Related(item.at, "the block")],
    )


def _directions(net: Net, doubtful: set[str]) -> Iterator[Diagnostic]:
    """Checks that a signal runs from an output to inputs."""
    source = net.source
    start = net.start
    if start is not None and source is not None and start["kind"] not in _SOURCES:
        doubtful.add(source.block["sid"])
        yield _report_direction(source, start["kind"], "begins", (*net.at, "from"))
    for arrival in net.arrivals:
        if arrival.end is None or arrival.item is None:
            continue
        kind = arrival.end["kind"]
        if kind in PHYSICAL or kind not in _TARGETS:
            doubtful.add(arrival.item.block["sid"])
            yield _report_direction(arrival.item, kind, "ends", arrival.at)
        elif kind == "ifaction" and source is not None and source.type in COMPUTING:
            yield new_diagnostic(
                MISMATCHED_EDGE,
                arrival.at,
                f'a plain signal of "{source.name}" arrives at the action port of '
                f'"{arrival.item.name}"',
                help="connect an output of an If or Switch Case block",
                node=arrival.item.name,
                related=[Related(source.at, "the signal begins here")],
            )


def _report_direction(item: BlockView, kind: str, verb: str, at: Route) -> Diagnostic:
    return new_diagnostic(
        MISMATCHED_EDGE,
        at,
        f'a signal {verb} at the {SPOKEN[kind]} of "{item.name}"',
        help="signals run from outputs to inputs; a converter connects them to physical networks"
        if kind in PHYSICAL
        else "signals run from outputs to inputs",
        node=item.name,
        token=kind,
        related=[Related(item.at, "the block")],
    )


def _physical(net: Net) -> Iterator[Diagnostic]:
    """Checks that a physical connection joins only physical ports."""
    for at, end, item in net.ends():
        if item is not None and end["kind"] not in PHYSICAL:
            yield new_diagnostic(
                MISMATCHED_EDGE,
                at,
                f'a physical connection arrives at the {SPOKEN[end["kind"]]} of "{item.name}"',
                help="add a converter between physical connections and signals",
                node=item.name,
                token=end["kind"],
                related=[Related(item.at, "the block")],
            )


def _check_single_line(net: Net, driven: dict[_Port, tuple[Net, Route]]) -> Iterator[Diagnostic]:
    """Finds inputs with two lines."""
    if net.physical:
        return
    for arrival in net.arrivals:
        if arrival.end is None or arrival.item is None or arrival.end["kind"] not in _TARGETS:
            continue
        port = (arrival.end["block"], arrival.end["kind"], arrival.end["index"])
        first = driven.setdefault(port, (net, arrival.at))
        if first[1] != arrival.at:
            kind = SPOKEN[arrival.end["kind"]]
            yield new_diagnostic(
                TOO_MANY_EDGES,
                arrival.at,
                f'two lines arrive at {kind} {arrival.end["index"]} of "{arrival.item.name}"',
                help="remove one of them, or combine them in a block",
                node=arrival.item.name,
                related=[
                    Related(first[1], "the other line"),
                    Related(arrival.item.at, "the block"),
                ],
            )


def _check_loose_ends(net: Net, diagram: Diagram) -> Iterator[Diagnostic]:
    """Finds ends of a line that are not connected."""
    owner = diagram.owner.name if diagram.owner is not None else None
    if net.start is None and not net.physical:
        target = next((arrival.item for arrival in net.arrivals if arrival.item is not None), None)
        node = target.name if target is not None else owner
        message = "the start of a line is not connected"
        yield new_diagnostic(
            DANGLING_LINE, net.at, message, help="connect it or remove it", node=node
        )
    for item in net.arrivals:
        if item.end is None and (net.source is not None or net.physical):
            source = net.source
            of = f' of "{source.name}"' if source is not None else ""
            yield new_diagnostic(
                DANGLING_LINE,
                item.at,
                f"a line{of} has an unconnected end",
                help="connect it or remove it",
                node=source.name if source is not None else owner,
            )


def _check_unconnected(
    item: BlockView, there: Mapping[str, int] | None, driven: Mapping[_Port, tuple[Net, Route]]
) -> Iterator[Diagnostic]:
    if there is None or _is_shelf(item.diagram):
        return
    sid = item.block["sid"]
    stated = item.block.get("ports") if item.inner is None else None
    for kind in ("in", *sorted(CONTROL)):
        count = there.get(kind, 0)
        if stated is not None:
            # A floating scope, for example, has fewer ports than its kind.
            count = min(count, stated.get(kind, 0))
        missing = [n for n in range(1, count + 1) if (sid, kind, n) not in driven]
        if not missing:
            continue
        shown = ", ".join(map(str, missing[:8])) + (", ..." if len(missing) > 8 else "")
        which = f"{SPOKEN[kind]}{'s' if len(missing) > 1 else ''} {shown}"
        yield new_diagnostic(
            UNCONNECTED_PORT,
            item.at,
            f'{which} of "{item.name}" {"are" if len(missing) > 1 else "is"} not connected',
            help="connect it, or add a Ground block for a constant zero",
            node=item.name,
        )


def _is_shelf(diagram: Diagram) -> bool:
    """Returns whether a diagram is the outermost of a library, whose blocks are unconnected."""
    return diagram.owner is None and diagram.library
