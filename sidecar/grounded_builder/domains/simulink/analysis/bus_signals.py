"""Lists the signals of a bus and the outputs that produce them; splits lists of signal names."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.simulink.analysis.model_view import BlockView, Net
from grounded_builder.domains.simulink.analysis.port_counts import count_ports
from grounded_builder.domains.simulink.analysis.signal_sources import Flow, Output

# Blocks that create a signal and do not pass on the name of an input. The output of any other block
# may have a name that is written further back.
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


def find_selected_outputs(item: BlockView, flow: Flow) -> list[Output | None]:
    """Returns the outputs that produce the signals of a Bus Selector; None for unknown ones."""
    if item.value("OutputAsBus") == "on":
        return []
    source = flow.find_carrier(item, 1)
    inside: dict[BlockView, list[str]] = {}
    return [
        _find_selected_output(source, name, flow, inside)
        for name in split_signal_names(item.value("OutputSignals") or "")
    ]


def _find_selected_output(
    source: Output | None, name: str, flow: Flow, inside: dict[BlockView, list[str]]
) -> Output | None:
    """Returns the output that produces a signal of a bus.

    ``inside`` caches the names by bus creator.
    """
    for step in name.split("."):
        if source is None:
            return None
        creator = source[0]
        if creator not in inside:
            named = list(list_bus_elements(creator, flow) or ())
            whole = len(named) == (count_ports(creator) or {}).get("in", 0)
            inside[creator] = named if whole else []
        if step not in inside[creator]:
            return None
        source = flow.find_carrier(creator, inside[creator].index(step) + 1)
    return source


def list_bus_elements(creator: BlockView, flow: Flow) -> Mapping[str, BlockView | None] | None:
    """Returns the signals of a bus and, for those that are buses, their creators.

    The result is None when not all signals are known.
    """
    if creator.type != "BusCreator" or creator.value("UseBusObject") == "on" or _is_typed(creator):
        return None
    listed = creator.value("Inputs") or ""
    given = [] if listed.strip().isdigit() else split_signal_names(listed)
    elements: dict[str, BlockView | None] = {}
    for index in range(1, (count_ports(creator) or {}).get("in", 0) + 1):
        name = given[index - 1] if index <= len(given) else _find_signal_name(creator, index, flow)
        if name is None:
            return None
        source, nets = flow.way(creator, index)
        elements[name] = source[0] if source is not None and not is_renamed(nets) else None
    return elements or None


def _find_signal_name(creator: BlockView, index: int, flow: Flow) -> str | None:
    """Returns the name of the signal at an input; None where a block may rename it."""
    output, nets = flow.way(creator, index)
    if not nets:
        return f"signal{index}" if flow.line_into(creator, index) is None else None
    written = nets[0].line.get("name") or _find_line_name(nets[0])
    if written:
        return _clean_name(str(written))
    if output is None or output[0].type not in _MAKING:
        return None
    # A name that is written further back may or may not be passed on.
    if any(net.line.get("name") or _find_line_name(net) for net in nets[1:]):
        return None
    return f"signal{index}"


def _is_typed(item: BlockView) -> bool:
    """Returns whether a bus object defines the signals; their names may differ from the lines'."""
    return (item.value("OutDataTypeStr") or "").startswith("Bus:") or (
        item.type in ("Inport", "Outport") and item.value("UseBusObject") == "on"
    )


def is_renamed(nets: list[Net]) -> bool:
    """Returns whether a port on the way renames the signals by a bus object."""
    arrivals = (arrival.item for net in nets for arrival in net.arrivals)
    ports = [item for item in arrivals if item is not None and item.type == "Outport"]
    ports += [net.source for net in nets if net.source is not None and net.source.type == "Inport"]
    return any(map(_is_typed, ports))


def _find_line_name(net: Net) -> str | None:
    """Returns the name that a block gives the signal at the beginning of a line."""
    if net.source is None or net.start is None:
        return None
    signals: Mapping[str, str] = net.source.block.get("signals", {})
    return signals.get(str(net.start["index"]))


def split_signal_names(text: str) -> list[str]:
    """Returns the names in a list of signals, each on one line and without quotes."""
    return [_clean_name(name.strip().strip("'")) for name in text.split(",") if name.strip()]


def _clean_name(name: str) -> str:
    """Returns a name on one line, without the brackets of a propagated name."""
    return " ".join(name.strip("<>").split())
