"""Sample times against the solver, and against each other."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from tests.support.simulink_models import block, codes, model, system

FIXED = {"Solver": "FixedStepDiscrete", "FixedStep": "0.01"}
TASKS = {
    "Solver": "FixedStepDiscrete",
    "FixedStep": "0.1",
    "EnableMultiTasking": "on",
    "AutoInsertRateTranBlk": "off",
    "MultiTaskRateTransMsg": "error",
}


@pytest.mark.parametrize(
    ("rate", "settings", "wrong"),
    [
        ("0.015", FIXED, True),
        ("0.02", FIXED, False),
        ("0.07", FIXED, False),
        ("[0.02 0.005]", FIXED, True),
        ("0.015", FIXED | {"FixedStep": "auto"}, False),
        ("0.015", FIXED | {"FixedStep": "Ts"}, False),
        ("0.015", {"SolverName": "ode45", "FixedStep": "0.01"}, False),
        ("0.015", FIXED | {"SolverName": "ode45"}, False),
        ("0.015", {"SolverName": "ode3", "FixedStep": "1/100"}, True),
        ("Ts", FIXED, False),
        ("-1", FIXED, False),
        ("inf", FIXED, False),
        ("-0.5", {}, True),
        ("[0.1 0.2]", {}, True),
        ("[-1 0]", {}, False),
        ("0.015", {}, False),
    ],
)
def test_a_solver_keeps_the_sample_times(
    rate: str, settings: dict[str, str], *, wrong: bool
) -> None:
    """Periods are multiples of a fixed step where the file states both; -1 inherits."""
    document = model(
        [block("c", "Constant"), block("z", "UnitDelay", SampleTime=rate)], "c -> z"
    ) | {"settings": settings}
    assert ("SLX341" in codes(document)) is wrong


def test_a_library_has_no_solver() -> None:
    """The step that a library or a part of a model states is not that of what runs it."""
    part = model([block("z", "UnitDelay", SampleTime="0.015")], kind="library")
    assert "SLX341" not in codes(part | {"settings": FIXED})


def _check_between(settings: dict[str, str], *between: dict[str, Any]) -> list[str]:
    names = ["s", *(item["name"] for item in between), "k"]
    blocks = [
        block("s", "Sin", SampleTime="0.2"),
        *between,
        block("k", "Gain", SampleTime="0.5"),
    ]
    lines = [f"{a} -> {b}" for a, b in pairwise(names)]
    return codes(model(blocks, *lines) | {"settings": settings})


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, True),
        ({"EnableMultiTasking": "off"}, False),
        ({"AutoInsertRateTranBlk": "on"}, False),
        ({"MultiTaskRateTransMsg": "warning"}, False),
        ({"Solver": "ode45"}, False),
        ({"SolverMode": "SingleTasking"}, False),
    ],
)
def test_rates_meet_where_a_model_calls_it_an_error(
    changed: dict[str, str], *, wrong: bool
) -> None:
    """Two rates are reported only if each is a task and nothing is inserted between them."""
    assert ("SLX342" in _check_between(TASKS | changed)) is wrong


@pytest.mark.parametrize("kind", ["RateTransition", "ZeroOrderHold", "UnitDelay"])
def test_rate_transition_joins_rates(kind: str) -> None:
    """A Rate Transition, a hold or a delay at the other rate may join two rates."""
    given: dict[str, Any] = {} if kind == "RateTransition" else {"SampleTime": "0.5"}
    assert "SLX342" not in _check_between(TASKS, block("b", kind, **given))


def test_a_rate_goes_through_blocks_that_inherit() -> None:
    """A block without a rate of its own carries that of its input on."""
    assert "SLX342" in _check_between(TASKS, block("a", "Abs"), block("b", "Bias"))


def test_two_rates_at_an_inheriting_block_meet() -> None:
    """A block inherits the faster of two rates, and the slower one arrives unbuffered."""
    blocks = [
        block("x", "Sin", SampleTime="0.1"),
        block("y", "Sin", SampleTime="0.2"),
        block("b", "Sum", Inputs="++"),
    ]
    document = model(blocks, "x -> b:1", "y -> b:2") | {"settings": TASKS}
    assert "SLX342" in codes(document)


def test_rate_in_enabled_subsystem_is_not_reported() -> None:
    """The rate inside an enabled subsystem is not checked."""
    inner = system(
        [block("e", "EnablePort"), block("i", "Inport"), block("k", "Gain", SampleTime="0.5")],
        "i -> k",
    )
    blocks = [block("s", "Sin", SampleTime="0.2"), block("sub", "SubSystem", inner)]
    document = model(blocks, "s -> sub, sub.enable1") | {"settings": TASKS}
    assert "SLX342" not in codes(document)
