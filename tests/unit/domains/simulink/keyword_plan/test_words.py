"""What engineers write: equations, letters, conditions, runs, slips of spelling."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from grounded_builder.domains.simulink.keyword_plan.equations import equations_in
from grounded_builder.domains.simulink.keyword_plan.normalize_text import spelling_of
from grounded_builder.domains.simulink.keyword_plan.simulation_settings import run_of
from grounded_builder.domains.simulink.keyword_plan.solve_equations import UnsolvableError, solved
from grounded_builder.domains.simulink.keyword_plan.text import text_of
from tests.support.simulink import simulink_registry
from tests.unit.domains.simulink.keyword_plan.test_plan import drawn, step_of


@pytest.mark.parametrize(
    ("text", "values", "polynomials"),
    [
        ("m x'' + c x' + k x = F", {"m": 2, "c": 4, "k": 50}, ("[1]", "[2 4 50]")),
        ("J*dw/dt + b*w = T", {"J": "0.01", "b": "0.1"}, ("[1]", "[0.01 0.1]")),
        ("d^2x/dt^2 + 3 dx/dt = 2 u", {}, ("[2]", "[1 3 0]")),
        ("tau*dy/dt = K*u - y", {"tau": 3, "K": "1.5"}, ("[1.5]", "[3 1]")),
        ("L*q'' = v(t) - R*q' - q/C", {"L": 1, "R": 2, "C": "0.5"}, ("[1]", "[1 2 2]")),
    ],
)
def test_linear_equations_are_transfer_functions(
    text: str, values: dict[str, Any], polynomials: tuple[str, str]
) -> None:
    """An equation in one unknown and one input is its polynomials, led by what was written."""
    (equation,) = equations_in(f"simulate {text} with a step")
    numbers = {name: Fraction(value) for name, value in values.items()}
    assert solved(equation, numbers).polynomials() == polynomials


@pytest.mark.parametrize(
    "request_",
    [
        "x'' = 1e99999999*x",
        "10^30^30 x'' + x = u",
        "x'' = ((((10^30)^30)^30)^30)^30*x",
        "1/(s+((((10^30)^30)^30)^30)^30)",
        "a gain of 1e999999999",
        "x' = k*x with k = 1e999999999",
        "1/" * 5_000,
        "9" * 9_000,
    ],
)
def test_numbers_beyond_all_use_are_worked_out_at_once_or_left(request_: str) -> None:
    """No number that a request writes makes a sketch fail, or take long."""
    drawn(request_)


@pytest.mark.parametrize("text", ["x'' + a*x = b", "x' = p*q", "x*x'' = 1", "x' + y' = 1"])
def test_equations_of_several_unknowns_are_not_solved(text: str) -> None:
    """What has more than one symbol without a number is left, not guessed."""
    (equation,) = equations_in(text)
    with pytest.raises(UnsolvableError):
        solved(equation, {})


@pytest.mark.parametrize(
    "text",
    [
        "x'' - nonsense*(1-x^2)*x' + x = 0",
        "K = 4 and T = 3",
        "G(s) = 1/(s+1)",
        "x' == 3",
        "a sine = 3",
    ],
)
def test_parts_of_equations_are_none(text: str) -> None:
    """What goes on beyond what is understood is no equation, and neither is a number's name."""
    assert list(equations_in(text)) == []


def test_an_equation_that_is_not_linear_is_drawn_of_integrators() -> None:
    """The highest derivative is the sum of its terms, and each state begins where it is told."""
    proposal, made = drawn(
        "theta'' = -(g/l)*sin(theta) with g = 9.81, l = 2 and theta(0) = pi/6, plot theta"
    )
    assert made.verdict == "ok"
    assert not proposal.unplaced
    steps = {one["id"]: one for one in proposal.plan["steps"]}
    assert step_of(proposal, "Gain")["params"] == {"Gain": "-4.905"}
    assert steps["theta"]["params"] == {}
    assert steps["theta_2"]["params"] == {"InitialCondition": "pi/6"}
    assert step_of(proposal, "Scope")["inputs"] == ["theta_2"]


def test_coupled_equations_feed_each_other() -> None:
    """The unknown of one equation is the signal of another."""
    proposal, made = drawn("dx/dt = 2x - y, dy/dt = x - y, x(0) = 1, show x and y on a scope")
    assert made.verdict == "ok"
    scope = step_of(proposal, "Scope")
    assert scope["inputs"] == ["x", "y"]


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("simulate it for 2 hours", {"StopTime": "2*3600"}),
        ("Run the simulation until t = 5 s with ode15s.", {"StopTime": "5", "Solver": "ode15s"}),
        ("fixed step size of 1 ms", {"FixedStep": "1e-3", "Solver": "FixedStepAuto"}),
        ("a delay of 2 s and a sample time of 0.1 s", {}),
        ("a pulse duration of 4 s", {}),
        ("stop the simulation when 10 is reached", {}),
    ],
)
def test_how_long_it_runs_is_a_setting_of_the_model(text: str, settings: dict[str, str]) -> None:
    """The stop time and the solver are no parameters of a block."""
    assert run_of(text_of(text)).settings == settings


def test_a_sketch_keeps_its_run() -> None:
    """The time that a request names is set in the script of its model."""
    proposal, made = drawn("a sine wave on a scope, simulate for 20 s with ode4")
    assert not proposal.unplaced
    assert made.artifact is not None
    assert "set_param(model, 'StopTime', '20', 'Solver', 'ode4');" in made.artifact["script"]


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("PI with Kr = 1.5 and Tn = 0.8 s", {"Controller": "PI", "P": "1.5", "I": "1.5/0.8"}),
        ("PID (Kp=8, Ti=2, Td=0.4)", {"P": "8", "I": "8/2", "D": "8*0.4"}),
        ("P with K = 4", {"Controller": "P", "P": "4"}),
    ],
)
def test_letters_of_controllers_are_their_gains(text: str, params: dict[str, str]) -> None:
    """Integral and rate times become the gains of the parallel form."""
    proposal, _ = drawn(f"the controller is a {text}, plant 1/(s+1), step reference, feedback")
    assert step_of(proposal, "PID Controller")["params"] == params
    assert not proposal.unplaced


def test_a_letter_of_no_block_is_told() -> None:
    """A number under a name that nothing has is not given to whatever stands near."""
    proposal, _ = drawn("a step into a first order lag with K = 2 and Q = 7, scope")
    assert step_of(proposal, "First-Order System")["params"] == {"Gain": "2"}
    assert any("7" in one for one in proposal.unplaced)


@pytest.mark.parametrize(
    ("said", "criteria", "outcomes"),
    [
        ("exceeds 5 output 1, else output 0", "u2 > Threshold", ("1", "0")),
        ("is at least 5 give 3, otherwise 2", "u2 >= Threshold", ("3", "2")),
        ("is below 5 output 1, otherwise 0", "u2 >= Threshold", ("0", "1")),
    ],
)
def test_a_condition_with_two_outcomes_is_a_switch(
    said: str, criteria: str, outcomes: tuple[str, str]
) -> None:
    """What decides enters the middle; for what lies below the outcomes change places."""
    proposal, made = drawn(f"if the ramp {said}, show it on a scope")
    assert made.verdict == "ok"
    switch = step_of(proposal, "Switch")
    assert switch["params"] == {"Criteria": criteria, "Threshold": "5"}
    steps = {one["id"]: one for one in proposal.plan["steps"]}
    ports = {one["input"]: one["from"] for one in switch["inputs"]}
    assert ports[2] == "ramp"
    assert tuple(steps[ports[n]]["params"]["Value"] for n in (1, 3)) == outcomes


def test_a_number_alone_may_be_a_source() -> None:
    """What drives a circuit is a source of its number, where none is named."""
    proposal, made = drawn("RC circuit driven by 10 V, R = 5 ohm, C = 100 uF, measure the current")
    assert made.verdict == "ok"
    assert step_of(proposal, "DC Voltage Source")["params"] == {"v0": "10"}
    assert not proposal.unplaced


def test_slips_are_read_as_meant_and_told() -> None:
    """A word that is one slip away from a block's is read as it, and that is said."""
    spelling = spelling_of("quantise it, a gain -> scope with a controler", simulink_registry())
    assert spelling.text == "quantize it, a gain, scope with a controller"
    assert spelling.notes == ('"controler" was read as "controller"',)
    proposal, _ = drawn("a PI controler for 1/(s+1) with a step reference")
    assert '"controler" was read as "controller"' in proposal.open


@pytest.mark.parametrize("word", ["plane", "sprung", "cruise", "factory", "stage", "noise", "rise"])
def test_other_words_are_left(word: str) -> None:
    """A word that is another one is no slip."""
    assert spelling_of(f"the {word} here", simulink_registry()).text == f"the {word} here"


def test_signals_of_a_bus_are_called_as_told() -> None:
    """A name before a source in parentheses is that of its line, and can be selected."""
    proposal, made = drawn(
        "a bus with the signals speed (constant 10) and torque (constant 5), select speed, display"
    )
    assert made.verdict == "ok"
    names = [one["signal"] for one in step_of(proposal, "Bus Creator")["inputs"]]
    assert names == ["speed", "torque"]
    assert step_of(proposal, "Bus Selector")["params"] == {"OutputSignals": "speed"}


def test_noise_alone_is_white_and_that_is_told() -> None:
    """A noise of no kind is supposed to be white."""
    proposal, _ = drawn("noise into a gain of 0.5 and a scope")
    assert step_of(proposal, "Band-Limited White Noise")
    assert any("taken to be white" in one for one in proposal.open)
