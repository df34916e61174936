"""Settings that Simulink refuses, and those that may hold."""

from __future__ import annotations

import pytest

from tests.support.simulink_models import block, codes, model

OLD = {"release": "R2019b"}


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"StartTime": "5", "StopTime": "1"}, True),
        ({"StartTime": "5", "StopTime": "inf"}, False),
        ({"StartTime": "t_0", "StopTime": "1"}, False),
        (
            {"StartTime": "5", "StopTime": "1", "InitFcn": "set_param(bdroot, 'StopTime', '9')"},
            False,
        ),
        ({"FixedStep": "-0.1"}, True),
        ({"FixedStep": "auto"}, False),
        ({"Solver": "ode99"}, True),
        ({"Solver": "ode14x"}, False),
        ({"Solver": "FixedStepDiscrete"}, True),
        ({"Solver": "FixedStepDiscrete", "SolverName": "ode4"}, False),
        ({"Solver": "VariableStepAuto"}, False),
    ],
)
def test_settings_are_preserved_or_refused(settings: dict[str, str], wrong: bool) -> None:
    """Times in order, steps ahead, solvers that exist, and states only where one solves them."""
    made = model([block("x", "Integrator")]) | OLD | {"settings": settings}
    assert ("SLX343" in codes(made)) == wrong


def test_a_later_release_may_have_other_solvers() -> None:
    """The solver in a file of an unknown or later release is not checked."""
    for release in ({}, {"release": "R2031a"}):
        made = model([]) | release | {"settings": {"Solver": "ode99"}}
        assert "SLX343" not in codes(made)


def test_a_state_that_is_not_there_needs_no_solver() -> None:
    """Blocks that are commented out, and fractions without order, have no state."""
    settings = {"settings": {"Solver": "FixedStepDiscrete"}}
    gain = block("g", "TransferFcn", Numerator="[2]", Denominator="[4]")
    silent = block("x", "Integrator") | {"properties": {"Commented": "on"}}
    assert "SLX343" not in codes(model([gain, silent]) | settings)
