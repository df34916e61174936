"""Reads the simulation settings of a draft: times, step sizes, tolerances and solver."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.matlab_expr import (
    RejectedValueError,
    evaluate,
    number_of,
    parse,
)
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

# https://www.mathworks.com/help/simulink/ug/choose-a-solver.html
SOLVERS = frozenset(
    """
    ode45 ode23 ode113 ode15s ode23s ode23t ode23tb odeN daessc
    ode1 ode2 ode3 ode4 ode5 ode8 ode14x ode1be
    VariableStepAuto FixedStepAuto VariableStepDiscrete FixedStepDiscrete
    """.split()
)
_NUMBERS = ("StartTime", "StopTime", "FixedStep", "MaxStep", "RelTol", "AbsTol")


def read_settings(plan: Plan) -> tuple[Mapping[str, str], tuple[Diagnostic, ...]]:
    """Returns the settings that a draft may state, and findings on them.

    Other settings belong to models that were read, and are ignored.
    """
    entries: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for name, value in plan.settings.items():
        if name not in (*_NUMBERS, "Solver"):
            continue
        if _is_right(name, value):
            entries[name] = str(value)
        else:
            message = f'"{str(value)[:40]}" is not a valid {name}, and was not used'
            diagnostics.append(new_diagnostic(LOOSE_SHAPE, ("model", "settings", name), message))
    return entries, tuple(diagnostics)


def _is_right(name: str, value: Any) -> bool:
    if name == "Solver":
        return value in SOLVERS
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return False
    try:
        number = number_of(evaluate(parse(str(value))))
    except (RejectedValueError, ValueError):
        return False
    return number is not None and (number > 0 or (name == "StartTime" and number <= 0))
