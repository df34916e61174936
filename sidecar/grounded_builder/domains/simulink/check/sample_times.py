"""Reports sample times that conflict with the solver of the model or with each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView
from grounded_builder.domains.simulink.analysis.propagation import Rate, Signals
from grounded_builder.domains.simulink.analysis.propagation.mask_overrides import MaskOverrides
from grounded_builder.domains.simulink.analysis.propagation.rates import (
    find_stated_rate,
    free_diagrams,
)
from grounded_builder.domains.simulink.analysis.propagation.signal import CONSTANT
from grounded_builder.domains.simulink.analysis.propagation.values import evaluate_literals
from grounded_builder.domains.simulink.matlab_expr import number_of

MISMATCHED_SAMPLE_TIME = Rule.wrong(
    "SLX341", "mismatched-sample-time", "TypeMismatch", "A sample time does not fit the solver."
)
JOINED_RATES = Rule.wrong(
    "SLX342", "joined-rates", "TypeMismatch", "A signal changes its rate without a buffer."
)

# Blocks whose parameter SampleTime is the period of their computation and nothing else.
_RATED = frozenset(
    """
    Abs Bias DataTypeConversion Delay DigitalClock DiscreteFilter DiscreteFir DiscreteIntegrator
    DiscreteStateSpace DiscreteTransferFcn DiscreteZeroPole Gain Logic Lookup_n-D Math MinMax
    Product RelationalOperator Saturate Sqrt Sum Switch Trigonometry UnaryMinus UnitDelay
    ZeroOrderHold
    """.split()
)
# Blocks that are themselves transitions between two rates.
_BETWEEN = frozenset("Delay DigitalClock UnitDelay ZeroOrderHold".split())
_FIXED = frozenset(
    """
    FixedStepDiscrete FixedStepAuto ode1 ode2 ode3 ode4 ode5 ode8 ode1be ode14x
    """.split()
)
_SETTINGS = ("Solver", "SolverName", "SolverType", "FixedStep")
# Far above the rounding errors of sums and quotients of decimal fractions.
_NEAR = 1e-6


def check_steps(view: ModelView, signals: Signals) -> Iterator[Diagnostic]:
    """Finds sample times that Simulink rejects: negative, between steps, or joined unbuffered."""
    settings: Mapping[str, str] = view.model.get("settings", {})
    free, rewriting = free_diagrams(view), MaskOverrides(view)
    certain = view.whole and not rewriting.may_set_model(*_SETTINGS)
    step = _step(settings) if certain else None
    for diagram in view.checked_diagrams():
        for item in diagram.items:
            judged = item.type in _RATED and item.active and item.opaque is None
            if judged and not rewriting.may_set(item):
                yield from _rate(item, step if free[id(diagram)] else None)
    if view.whole and step is not None and _is_multitasking(settings):
        for item in signals.sources:
            if item.type in _RATED - _BETWEEN and free[id(item.diagram)]:
                yield from _check_joined_rates(item, signals)


def _step(settings: Mapping[str, str]) -> float | None:
    """Returns the fixed step of the solver in seconds; None where it is variable or unknown."""
    solvers = {settings[name] for name in ("Solver", "SolverName") if name in settings}
    if len(solvers) != 1 or not solvers <= _FIXED:
        return None
    step = number_of(evaluate_literals(settings.get("FixedStep", "auto")))
    return step if step is not None and step > 0 else None


def _is_multitasking(settings: Mapping[str, str]) -> bool:
    """Returns whether each rate is a task of its own without automatic rate transitions."""
    return (
        settings.get("EnableMultiTasking", "on") == "on"
        and settings.get("SolverMode", "MultiTasking") == "MultiTasking"
        and ("EnableMultiTasking" in settings or "SolverMode" in settings)
        and settings.get("AutoInsertRateTranBlk") == "off"
        and settings.get("MultiTaskRateTransMsg") == "error"
    )


def _rate(item: BlockView, step: float | None) -> Iterator[Diagnostic]:
    rate = find_stated_rate(item)
    if rate is None or rate == CONSTANT:
        return
    if rate.period < 0 and rate.period != -1:
        why, what = "is negative", "write a positive period, or -1 to inherit one"
    elif rate.period == 0 and item.type == "ZeroOrderHold":
        why, what = "is continuous, and a hold requires a period", "write a positive period, or -1"
    elif rate.period > 0 and rate.offset >= rate.period:
        why, what = (
            "has an offset that is not less than its period",
            "write an offset less than the period",
        )
    elif step is not None and rate.is_discrete and not _is_multiple(rate, step):
        why = f"is not a multiple of {step:g} s, the solver's fixed step"
        what = "write a multiple of the step, or change the step"
    else:
        return
    text = item.given.get("SampleTime")
    yield new_diagnostic(
        MISMATCHED_SAMPLE_TIME,
        (*item.at, "parameters", "SampleTime") if text is not None else item.at,
        f'the sample time {text or rate.period} of "{item.name}" {why}',
        help=what,
        node=item.name,
        token=text,
    )


def _is_multiple(rate: Rate, step: float) -> bool:
    parts = (rate.period / step, rate.offset / step)
    return all(abs(part - round(part)) <= _NEAR * max(1.0, abs(part)) for part in parts)


def _check_joined_rates(item: BlockView, signals: Signals) -> Iterator[Diagnostic]:
    """Finds inputs whose rate differs from the rate of the block."""
    own = signals.of((item, 1)).rate
    if own is None or not own.is_discrete:
        return
    for index, source in enumerate(signals.sources[item], 1):
        other = signals.of(source).rate
        if source is None or other is None or not other.is_discrete or other == own:
            continue
        if source[0].type == "Constant":
            continue  # a constant is the same at any time
        yield new_diagnostic(
            JOINED_RATES,
            item.at,
            f'"{item.name}" runs every {own.period:g} s, and its input {index} changes every '
            f"{other.period:g} s",
            help="add a Rate Transition between them, or let Simulink insert it",
            node=item.name,
            related=[Related(source[0].at, "made here")],
        )
        return
