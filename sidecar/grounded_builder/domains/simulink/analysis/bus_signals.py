"""The signals of a bus: their names, and the outputs that make them."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.simulink.analysis.model_view import BlockView, Net
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


def parts(item: BlockView, flow: Flow) -> list[Output | None]:
    """The outputs that make the signals a Bus Selector takes out; None of those not known."""
    if item.value("OutputAsBus") == "on":
        return []
    source = flow.carried(item, 1)
    inside: dict[BlockView, list[str]] = {}
    return [
        _part(source, name, flow, inside)
        for name in signal_names(item.value("OutputSignals") or "")
    ]


def _part(
    source: Output | None, name: str, flow: Flow, inside: dict[BlockView, list[str]]
) -> Output | None:
    """The output that makes a signal of a bus; ``inside`` keeps the names by creator."""
    for step in name.split("."):
        if source is None:
            return None
        creator = source[0]
        if creator not in inside:
            named = list(bus_elements(creator, flow) or ())
            whole = len(named) == (counts(creator) or {}).get("in", 0)
            inside[creator] = named if whole else []
        if step not in inside[creator]:
            return None
        source = flow.carried(creator, inside[creator].index(step) + 1)
    return source


def bus_elements(creator: BlockView, flow: Flow) -> Mapping[str, BlockView | None] | None:
    """The signals of a bus with the creators of those that are buses; None when not all known."""
    if creator.type != "BusCreator" or creator.value("UseBusObject") == "on" or _is_typed(creator):
        return None
    listed = creator.value("Inputs") or ""
    given = [] if listed.strip().isdigit() else signal_names(listed)
    elements: dict[str, BlockView | None] = {}
    for index in range(1, (counts(creator) or {}).get("in", 0) + 1):
        name = given[index - 1] if index <= len(given) else _name(creator, index, flow)
        if name is None:
            return None
        source, nets = flow.way(creator, index)
        elements[name] = source[0] if source is not None and not is_renamed(nets) else None
    return elements or None


def _name(creator: BlockView, index: int, flow: Flow) -> str | None:
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


def _is_typed(item: BlockView) -> bool:
    """Whether a bus object names the signals: its names may be others than those of the lines."""
    return (item.value("OutDataTypeStr") or "").startswith("Bus:") or (
        item.type in ("Inport", "Outport") and item.value("UseBusObject") == "on"
    )


def is_renamed(nets: list[Net]) -> bool:
    """Whether a port on the way gives the signals of a bus the names of a bus object."""
    arrivals = (arrival.item for net in nets for arrival in net.arrivals)
    ports = [item for item in arrivals if item is not None and item.type == "Outport"]
    ports += [net.source for net in nets if net.source is not None and net.source.type == "Inport"]
    return any(map(_is_typed, ports))


def _signal(net: Net) -> str | None:
    """The name that a block gives the signal at the beginning of a line."""
    if net.source is None or net.start is None:
        return None
    signals: Mapping[str, str] = net.source.block.get("signals", {})
    return signals.get(str(net.start["index"]))


def signal_names(text: str) -> list[str]:
    """Returns the names in a list of signals, each on one line and without quotes."""
    return [_plain(name.strip().strip("'")) for name in text.split(",") if name.strip()]


def _plain(name: str) -> str:
    """A name on one line, without the marks of one that is passed on."""
    return " ".join(name.strip("<>").split())
