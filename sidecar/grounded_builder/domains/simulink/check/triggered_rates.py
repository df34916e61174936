"""Reports blocks in triggered subsystems with a sample time or continuous states of their own."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, Diagram, ModelView
from grounded_builder.domains.simulink.analysis.propagation.mask_overrides import MaskOverrides
from grounded_builder.domains.simulink.analysis.propagation.rates import find_stated_rate

MISPLACED_RATE = Rule.wrong(
    "SLX333", "misplaced-rate", "TypeMismatch", "A block with a rate is in a triggered subsystem."
)

_CONTINUOUS = frozenset(
    {"Integrator", "SecondOrderIntegrator", "StateSpace", "TransferFcn", "ZeroPole"}
)
# Blocks whose sample time is always the period of their computation; others may ignore theirs.
_RATED = frozenset(
    """
    Abs Bias DataTypeConversion Delay DiscreteFilter DiscreteFir DiscreteIntegrator
    DiscreteStateSpace DiscreteTransferFcn DiscreteZeroPole Gain Logic Lookup_n-D Math MinMax
    Product RelationalOperator Saturate Sqrt Sum Switch Trigonometry UnaryMinus UnitDelay
    ZeroOrderHold
    """.split()
)


def check_rates(view: ModelView) -> Iterator[Diagnostic]:
    """Finds blocks in triggered subsystems with a sample time or continuous states of their own."""
    triggered: set[int] = set()
    rewriting = MaskOverrides(view)
    for diagram in view.checked_diagrams():
        trigger = _trigger(diagram)
        around = diagram.owner is not None and id(diagram.owner.diagram) in triggered
        if trigger is None and not around:
            continue
        triggered.add(id(diagram))
        for item in diagram.items:
            if item.active and not rewriting.may_set(item):
                yield from _check_block(item, diagram)


def _trigger(diagram: Diagram) -> BlockView | None:
    """Returns the port that runs a diagram at triggers only; None where there is none."""
    return next(
        (
            item
            for item in diagram.of("TriggerPort")
            if item.active
            and (item.value("SampleTimeType") or "triggered").casefold() != "periodic"
        ),
        None,
    )


def _check_block(item: BlockView, diagram: Diagram) -> Iterator[Diagnostic]:
    asked = item.given.get("SampleTime", "")
    if item.type in _CONTINUOUS:
        what = "has a continuous state"
    elif item.type in _RATED and asked and (rate := find_stated_rate(item)) and rate.is_discrete:
        what = f"has the sample time {asked.strip()}"
    else:
        return
    owner = diagram.owner
    yield new_diagnostic(
        MISPLACED_RATE,
        item.at,
        f'"{item.name}" {what}, and is in a subsystem that runs only when it is triggered',
        help="set its sample time to -1 (inherited), or move it out of the subsystem",
        node=item.name,
        token=asked or None,
        related=[Related(owner.at, "the subsystem")] if owner is not None else [],
    )
