"""Reports signals that blocks select from a bus and that the bus creator does not provide."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.bus_signals import (
    _clean_name,
    _find_line_name,
    is_renamed,
    list_bus_elements,
    split_signal_names,
)
from grounded_builder.domains.simulink.analysis.model_view import BlockView, Net
from grounded_builder.domains.simulink.analysis.signal_sources import Flow

MISSING_BUS_SIGNAL = Rule.wrong(
    "SLX330", "missing-bus-signal", "InvalidConnection", "A bus lacks a selected signal."
)

# Blocks whose output is always numeric, never a bus.
_PLAIN = frozenset(
    """
    Abs Bias Clock DeadZone Derivative DigitalClock DiscreteIntegrator DiscretePulseGenerator
    DiscreteTransferFcn Fcn Gain Integrator Logic Math MinMax Product Quantizer RandomNumber
    RateLimiter RelationalOperator Relay Rounding Saturate SignalGenerator Signum Sin Sqrt
    StateSpace Step Sum TransferFcn Trigonometry UnaryMinus UniformRandomNumber ZeroPole
    """.split()
)
# Blocks that name signals of a bus, and the parameter that names them.
_NAMING = {"BusAssignment": "AssignedSignals", "BusSelector": "OutputSignals"}
_VERBS = {"BusAssignment": "replaces", "BusSelector": "selects"}
_COUNTED = re.compile(r"signal\d+|[^(.\n]*[(.].*")


def check_buses(flow: Flow) -> Iterator[Diagnostic]:
    """Finds selections of signals that a bus does not have, where all its signals are known."""
    for diagram in flow.view.checked_diagrams():
        for item in diagram.of(*_NAMING):
            if item.active:
                yield from _check_selection(item, flow)


def _check_selection(item: BlockView, flow: Flow) -> Iterator[Diagnostic]:
    source, nets = flow.way(item, 1)
    creator = source[0] if source is not None else None
    if creator is None or is_renamed(nets):
        return
    asked = split_signal_names(item.value(_NAMING[item.type]) or "")
    if creator.type in _PLAIN:
        yield from _check_non_bus(item, creator, asked, nets)
    if creator.type != "BusCreator":
        return
    for wanted in asked:
        here: BlockView | None = creator
        if "(" in wanted:
            continue  # an element of an array of buses
        for name in wanted.split("."):
            elements = list_bus_elements(here, flow) if here is not None else None
            if elements is None:
                break
            if name not in elements:
                yield new_diagnostic(
                    MISSING_BUS_SIGNAL,
                    item.at,
                    f'"{item.name}" {_VERBS[item.type]} "{wanted}", and the bus of '
                    f'"{creator.name}" has no "{name}"',
                    help=f"its signals are {', '.join(list(elements)[:12])}",
                    node=item.name,
                    token=wanted,
                    alternatives=find_nearest(name, elements),
                    related=[Related(creator.at, "the bus is created here")],
                )
                break
            here = elements[name]


def _check_non_bus(
    item: BlockView, source: BlockView, asked: list[str], nets: list[Net]
) -> Iterator[Diagnostic]:
    """Yields findings for elements that are selected from a signal that is not a bus."""
    own = {
        _clean_name(str(name))
        for net in nets
        if (name := net.line.get("name") or _find_line_name(net))
    }
    for wanted in asked:
        if wanted not in own and not _COUNTED.fullmatch(wanted):
            yield new_diagnostic(
                MISSING_BUS_SIGNAL,
                item.at,
                f'"{item.name}" {_VERBS[item.type]} "{wanted}", and the signal of '
                f'"{source.name}" is not a bus',
                help="combine the signals in a Bus Creator before it",
                node=item.name,
                token=wanted,
                related=[Related(source.at, "the signal is created here")],
            )
            return
