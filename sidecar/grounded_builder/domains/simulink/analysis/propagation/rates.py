"""Determines and combines sample times of blocks, and finds diagrams that always run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram, ModelView
from grounded_builder.domains.simulink.analysis.propagation.signal import CONSTANT, CONTINUOUS, Rate
from grounded_builder.domains.simulink.analysis.propagation.values import (
    evaluate_literals,
    list_reals,
)
from grounded_builder.domains.simulink.read.document import CONTROL

Rates = Sequence[Rate | None]

# Blocks whose states are continuous, whatever feeds them.
_CONTINUOUS = frozenset(
    "Clock Derivative Integrator SecondOrderIntegrator StateSpace TransferFcn ZeroPole".split()
)
# Blocks that inherit the sample time of their inputs by default.
_INHERITING = frozenset(
    """
    Abs Bias DataTypeConversion DeadZone Delay DiscreteFilter DiscreteFir DiscreteIntegrator
    DiscreteTransferFcn DotProduct Gain Logic Lookup Lookup_n-D Math MinMax MultiPortSwitch Product
    Quantizer RelationalOperator Relay Rounding Saturate Signum Sqrt Sum Switch Trigonometry
    UnaryMinus UnitDelay ZeroOrderHold
    """.split()
)
# Sources with a sample time of their own.
_SOURCES = frozenset(
    "Constant DigitalClock DiscretePulseGenerator Inport RandomNumber Sin Step".split()
)
# A diagram with one of these runs conditionally.
_CONDITIONS = (
    "TriggerPort",
    "EnablePort",
    "ActionPort",
    "ResetPort",
    "ForEach",
    "ForIterator",
    "WhileIterator",
)
_ROUNDING = 1e-9


def rate_of(item: BlockView, inputs: Rates, *, free: bool) -> Rate | None:
    """Returns the sample time of a block; None unless it follows from what is known.

    ``free`` is true when its diagram runs unconditionally.
    """
    if not free:
        return None
    if item.type in _CONTINUOUS:
        return CONTINUOUS
    if item.type not in _INHERITING and item.type not in _SOURCES:
        return None
    rate = find_stated_rate(item)
    if rate is not None and rate.period != -1:
        return rate
    if rate is None and _states(item):
        return None
    return inherit_rate(inputs) if item.type in _INHERITING else None


def find_stated_rate(item: BlockView) -> Rate | None:
    """Returns the sample time that a block states; its period is -1 where it inherits.

    A default is assumed only for Constant blocks, whose default is the same in all releases.
    """
    text = item.given.get("SampleTime", item.defaults.get("SampleTime"))
    if text is None and item.spec is not None and (item.type == "Constant" or not item.spec.bare):
        text = item.spec.value("SampleTime", {})
    parts = list_reals(evaluate_literals(text)) if text is not None else None
    if not parts or len(parts) > 2:
        return None
    period, offset = parts[0], parts[1] if len(parts) == 2 else 0.0
    if math.isnan(period) or not math.isfinite(offset):
        return None
    return CONSTANT if math.isinf(period) else Rate(period, offset)


def _states(item: BlockView) -> bool:
    """Returns whether unknown parameters determine the sample time."""
    if "SampleTime" in item.given or "SampleTime" in item.defaults:
        return True
    return item.value("SampleTime", "-1") != "-1"


def inherit_rate(inputs: Rates) -> Rate | None:
    """Returns the rate that inputs share, or the fastest if the others are multiples of its period.

    Constant inputs are ignored. These are the rules of sample time inheritance in the Simulink
    documentation.
    """
    if not inputs or any(rate is None for rate in inputs):
        return None
    moving = [rate for rate in inputs if rate is not None and rate != CONSTANT]
    if not moving:
        return CONSTANT
    fastest = min(moving, key=lambda rate: rate.period)
    if all(rate == fastest for rate in moving):
        return fastest
    if any(not rate.is_discrete or rate.offset for rate in moving):
        return None
    return fastest if all(is_multiple(fastest.period, rate.period) for rate in moving) else None


def is_multiple(step: float, period: float) -> bool:
    """Returns whether a period is an integer number of steps within double precision."""
    count = period / step
    return abs(count - round(count)) <= _ROUNDING * max(1.0, count) and round(count) > 0


def free_diagrams(view: ModelView) -> Mapping[int, bool]:
    """Returns which diagrams run unconditionally, by the ``id`` of the diagram."""
    entries: dict[int, bool] = {}
    for diagram in view.diagrams:  # outer diagrams come first
        owner = diagram.owner
        around = owner is None or (
            entries.get(id(owner.diagram), False) and not _is_controlled(owner)
        )
        entries[id(diagram)] = around and not _is_conditional(diagram)
    return entries


def _is_conditional(diagram: Diagram) -> bool:
    return any(diagram.of(kind) for kind in _CONDITIONS)


def _is_controlled(owner: BlockView) -> bool:
    ports: Mapping[str, int] = owner.block.get("ports", {})
    return any(ports.get(kind) for kind in CONTROL)
