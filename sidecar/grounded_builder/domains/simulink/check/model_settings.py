"""Reports model settings that Simulink rejects: times, steps and solvers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView, ModelView
from grounded_builder.domains.simulink.analysis.propagation.mask_overrides import MaskOverrides
from grounded_builder.domains.simulink.analysis.propagation.values import evaluate_literals, numbers
from grounded_builder.domains.simulink.matlab_expr import number_of

REFUSED_SETTING = Rule.wrong(
    "SLX343", "refused-setting", "TypeMismatch", "A model setting is impossible."
)

# The solvers of all releases up to the latest one known here.
_SOLVERS = frozenset(
    """
    FixedStepAuto FixedStepDiscrete VariableStepAuto VariableStepDiscrete auto daessc ode1 ode113
    ode14x ode15s ode1be ode2 ode23 ode23s ode23t ode23tb ode3 ode4 ode45 ode5 ode8 odeN
    """.split()
)
_LAST = "R2025b"
_SOLVER = ("Solver", "SolverName")


def check_settings(view: ModelView) -> Iterator[Diagnostic]:
    """Finds settings that Simulink rejects.

    Settings that callbacks may change or that read variables are not checked.
    """
    settings: Mapping[str, str] = view.model.get("settings", {})
    rewriting = MaskOverrides(view)
    if not view.whole or rewriting.may_set_model(*_SOLVER, "FixedStep", "StartTime", "StopTime"):
        return
    start, stop = (_number(settings, name) for name in ("StartTime", "StopTime"))
    if start is not None and stop is not None and stop < start:
        yield _report_setting(
            "StopTime", f"the stop time of {stop:g} s is before the start time of {start:g} s"
        )
    step = _number(settings, "FixedStep")
    if step is not None and step < 0 and step != -1:
        yield _report_setting("FixedStep", f"the step of {step:g} s is negative")
    solvers = {settings[name]: name for name in _SOLVER if name in settings}
    release = view.model.get("release", "")
    for solver, name in solvers.items():
        if solver not in _SOLVERS and release.startswith("R2") and release <= _LAST:
            yield _report_setting(name, f'"{solver}" is not a solver')
    if list(solvers) == ["FixedStepDiscrete"]:
        state = next(filter(None, (_state(item, rewriting) for item in view.items())), None)
        if state is not None:
            why = f'the solver is for models without continuous states, and "{state.name}" has one'
            yield _report_setting(
                solvers["FixedStepDiscrete"], why, [Related(state.at, "the state")]
            )


def _number(settings: Mapping[str, str], name: str) -> float | None:
    return number_of(evaluate_literals(settings[name])) if name in settings else None


def _state(item: BlockView, rewriting: MaskOverrides) -> BlockView | None:
    """Returns the block if it certainly has a continuous state."""
    if not item.active or not item.diagram.judged or item.opaque is not None:
        return None
    if item.type == "TransferFcn":
        below = numbers(item, "Denominator")
        certain = below is not None and len(below) > 1 and bool(below[0])
    else:
        certain = item.type in ("Integrator", "SecondOrderIntegrator")
    return item if certain and not rewriting.may_set(item) else None


def _report_setting(name: str, why: str, related: list[Related] | None = None) -> Diagnostic:
    return new_diagnostic(
        REFUSED_SETTING,
        ("settings", name),
        f"Simulink rejects the setting {name}: {why}",
        help="change it in the model's configuration",
        token=name,
        related=related or [],
    )
