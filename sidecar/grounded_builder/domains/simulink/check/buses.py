"""Signals that are selected from a bus, against those that its creator puts in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Related, found, nearest
from grounded_builder.domains.simulink.analysis.model_view import Item, Net
from grounded_builder.domains.simulink.analysis.port_counts import counts
from grounded_builder.domains.simulink.analysis.signal_sources import Flow, Output

# Blocks that make a new signal, without the name of one that they take. Others may pass a name on,
# so that a line behind them bears one that is not written there.
_MAKING = frozenset(
    """
    Abs Bias BusCreator Clock Constant DataStoreRead DeadZone Delay Derivative DigitalClock
    DiscreteFilter DiscreteIntegrator DiscretePulseGenerator DiscreteTransferFcn Fcn FromFile Gain
    Ground Integrator Logic Lookup Lookup2D Lookup_n-D Math MinMax Product Quantizer RandomNumber
    RateLimiter RelationalOperator Relay Rounding Saturate SignalGenerator Signum Sin Sqrt
    StateSpace Step Sum TransferFcn TransportDelay Trigonometry UnaryMinus UnitDelay
    UniformRandomNumber ZeroPole
    """.split()
)
# Those of them that make numbers alone, never a bus.
_PLAIN = frozenset(
    """
    Abs Bias Clock DeadZone Derivative DigitalClock DiscreteIntegrator DiscretePulseGenerator
    DiscreteTransferFcn Fcn Gain Integrator Logic Math MinMax Product Quantizer RandomNumber
    RateLimiter RelationalOperator Relay Rounding Saturate SignalGenerator Signum Sin Sqrt
    StateSpace Step Sum TransferFcn Trigonometry UnaryMinus UniformRandomNumber ZeroPole
    """.split()
)
# Blocks that name signals of a bus, and the parameter that does.
_NAMING = {"BusAssignment": "AssignedSignals", "BusSelector": "OutputSignals"}
_VERBS = {"BusAssignment": "replaces", "BusSelector": "selects"}
_COUNTED = re.compile(r"signal\d+|.*[(.].*")


def check_buses(flow: Flow) -> Iterator[Diagnostic]:
    """Find selections of signals that a bus does not have, where all its signals are known."""
    for diagram in flow.view.judged():
        for item in diagram.of(*_NAMING):
            if item.active:
                yield from _selected(item, flow)


def _selected(item: Item, flow: Flow) -> Iterator[Diagnostic]:
    source, nets = flow.way(item, 1)
    creator = source[0] if source is not None else None
    if creator is None or _is_renamed(nets):
        return
    asked = _names(item.value(_NAMING[item.type]) or "")
    if creator.type in _PLAIN:
        yield from _of_none(item, creator, asked, nets)
    if creator.type != "BusCreator":
        return
    for wanted in asked:
        here: Item | None = creator
        if "(" in wanted:
            continue  # an element of an array of buses
        for name in wanted.split("."):
            elements = _elements(here, flow) if here is not None else None
            if elements is None:
                break
            if name not in elements:
                yield found(
                    "SLX330",
                    item.at,
                    f'"{item.name}" {_VERBS[item.type]} "{wanted}", and the bus of '
                    f'"{creator.name}" has no "{name}"',
                    help=f"its signals are {', '.join(list(elements)[:12])}",
                    node=item.name,
                    token=wanted,
                    alternatives=nearest(name, elements),
                    related=[Related(creator.at, "where the bus is made")],
                )
                break
            here = elements[name]


def _of_none(item: Item, source: Item, asked: list[str], nets: list[Net]) -> Iterator[Diagnostic]:
    """Signals that are named of what is no bus, whose elements have no names but its own."""
    own = {_plain(str(name)) for net in nets if (name := net.line.get("name") or _signal(net))}
    for wanted in asked:
        if wanted not in own and not _COUNTED.fullmatch(wanted):
            yield found(
                "SLX330",
                item.at,
                f'"{item.name}" {_VERBS[item.type]} "{wanted}", and the signal of '
                f'"{source.name}" is no bus',
                help="join the signals in a Bus Creator before it",
                node=item.name,
                token=wanted,
                related=[Related(source.at, "where the signal is made")],
            )
            return


def parts(item: Item, flow: Flow) -> list[Output | None]:
    """The outputs that make the signals a Bus Selector takes out; None of those not known."""
    if item.value("OutputAsBus") == "on":
        return []
    source = flow.carried(item, 1)
    inside: dict[Item, list[str]] = {}
    return [_part(source, name, flow, inside) for name in _names(item.value("OutputSignals") or "")]


def _part(
    source: Output | None, name: str, flow: Flow, inside: dict[Item, list[str]]
) -> Output | None:
    """The output that makes a signal of a bus; ``inside`` keeps the names by creator."""
    for step in name.split("."):
        if source is None:
            return None
        creator = source[0]
        if creator not in inside:
            named = list(_elements(creator, flow) or ())
            whole = len(named) == (counts(creator) or {}).get("in", 0)
            inside[creator] = named if whole else []
        if step not in inside[creator]:
            return None
        source = flow.carried(creator, inside[creator].index(step) + 1)
    return source


def _elements(creator: Item, flow: Flow) -> Mapping[str, Item | None] | None:
    """The signals of a bus with the creators of those that are buses; None when not all known."""
    if creator.type != "BusCreator" or creator.value("UseBusObject") == "on" or _is_typed(creator):
        return None
    listed = creator.value("Inputs") or ""
    given = [] if listed.strip().isdigit() else _names(listed)
    elements: dict[str, Item | None] = {}
    for index in range(1, (counts(creator) or {}).get("in", 0) + 1):
        name = given[index - 1] if index <= len(given) else _name(creator, index, flow)
        if name is None:
            return None
        source, nets = flow.way(creator, index)
        elements[name] = source[0] if source is not None and not _is_renamed(nets) else None
    return elements or None


def _name(creator: Item, index: int, flow: Flow) -> str | None:
    """The name of the signal at an input; None where another block may give it one."""
    output, nets = flow.way(creator, index)
    if not nets:
        return f"signal{index}" if flow.line_into(creator, index) is None else None
    written = nets[0].line.get("name") or _signal(nets[0])
    if written:
        return _plain(str(written))
    if output is None or output[0].type not in _MAKING:
        return None
    # A name further back may or may not be passed on.
    if any(net.line.get("name") or _signal(net) for net in nets[1:]):
        return None
    return f"signal{index}"


def _is_typed(item: Item) -> bool:
    """Whether a bus object names the signals: its names may be others than those of the lines."""
    return (item.value("OutDataTypeStr") or "").startswith("Bus:") or (
        item.type in ("Inport", "Outport") and item.value("UseBusObject") == "on"
    )


def _is_renamed(nets: list[Net]) -> bool:
    """Whether a port on the way gives the signals of a bus the names of a bus object."""
    arrivals = (one.item for net in nets for one in net.arrivals)
    ports = [item for item in arrivals if item is not None and item.type == "Outport"]
    ports += [net.source for net in nets if net.source is not None and net.source.type == "Inport"]
    return any(map(_is_typed, ports))


def _signal(net: Net) -> str | None:
    """The name that a block gives the signal at the beginning of a line."""
    if net.source is None or net.start is None:
        return None
    signals: Mapping[str, str] = net.source.block.get("signals", {})
    return signals.get(str(net.start["index"]))


def _names(text: str) -> list[str]:
    return [_plain(name.strip().strip("'")) for name in text.split(",") if name.strip()]


def _plain(name: str) -> str:
    """A name on one line, without the marks of one that is passed on."""
    return " ".join(name.strip("<>").split())
