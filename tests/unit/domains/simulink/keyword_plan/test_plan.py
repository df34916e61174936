"""What is read out of a request, and what is drawn of it."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.keyword_plan.formulas import formulas_in
from grounded_builder.domains.simulink.keyword_plan.quantities import quantities_in
from grounded_builder.drafting.planner.propose import Proposal, propose
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

PATTERNS = [tool for tool in simulink_registry().tools if tool.startswith("pattern/")]


def drawn(request: str) -> tuple[Proposal, Compilation]:
    """A request as planned without a model, and what its plan compiles to."""
    registry = simulink_registry()
    proposal = propose(request, SIMULINK, registry)
    return proposal, compile_with_fixes(dict(proposal.plan), SIMULINK, registry, CompileOptions())


def step_of(proposal: Proposal, tool: str) -> dict[str, Any]:
    """The step of a block by its name."""
    steps = proposal.plan["steps"]
    return next(dict(step) for step in steps if step["tool"].rsplit("/", 1)[1] == tool)


@pytest.mark.parametrize(
    ("text", "value", "measures"),
    [
        ("1 kOhm", "1e3", "resistance"),
        ("100 nF", "100e-9", "capacitance"),
        ("0.1 s", "0.1", "time"),
        ("20 ms", "20e-3", "time"),
        ("50 Hz", "50", "frequency"),
        ("5 N*s/m", "5", "damping"),
        ("30 %", "30", "percent"),
        ("pi/4", "pi/4", ""),
        ("[0 1; -2 -3]", "[0 1; -2 -3]", ""),
        ("2 megahertz", "2e6", "frequency"),
    ],
)
def test_numbers_are_read_with_their_units(text: str, value: str, measures: str) -> None:
    """A number becomes a MATLAB text in SI units, and its unit says what it is of."""
    (one,) = quantities_in(f"a thing of {text} there")
    assert (one.value, one.measures) == (value, measures)


@pytest.mark.parametrize(
    ("text", "numerator", "denominator"),
    [
        ("1/(s^2 + 2s + 1)", "[1]", "[1 2 1]"),
        ("G(s) = 5/(0.2s+1)", "[5]", "[0.2 1]"),
        ("(s+2)/(s(s+1))", "[1 2]", "[1 1 0]"),
        ("0.1/(z-0.9)", "[0.1]", "[1 -0.9]"),
        ("2/s + 1/(s+1)", "[3 2]", "[1 1 0]"),
    ],
)
def test_transfer_functions_are_read(text: str, numerator: str, denominator: str) -> None:
    """A fraction in s or z becomes its polynomials."""
    (one,) = formulas_in(f"the plant {text} on a scope")
    assert (one.numerator, one.denominator) == (numerator, denominator)


@pytest.mark.parametrize(
    "text", ["5 s (or so)", "10 m/s", "3 rad/s", "a 5 N*s/m damper", "s and z"]
)
def test_units_are_no_formulas(text: str) -> None:
    """Seconds and speeds are not taken for functions of s."""
    assert list(formulas_in(text)) == []


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_compiles_where_it_is_accepted(pattern: str) -> None:
    """The steps of each pattern are blocks with their parameters, joined without an open end."""
    steps = [
        {"id": "in", "tool": "Step"},
        {"id": "part", "tool": pattern, "inputs": ["in"]},
        {"id": "out", "tool": "Scope", "inputs": ["part"]},
    ]
    registry = simulink_registry()
    made = compile_with_fixes({"version": 1, "steps": steps}, SIMULINK, registry, CompileOptions())
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    assert {diagnostic.code for diagnostic in made.diagnostics} <= {"SLX302", "GB402"}


def test_the_example_of_the_toolbox_is_a_loop() -> None:
    """The motor follows its reference through a PI controller, without an algebraic loop."""
    proposal, made = drawn("a PI-controlled DC motor with a step reference")
    assert made.verdict == "ok"
    assert proposal.unplaced == ()
    assert step_of(proposal, "PID Controller")["params"] == {"Controller": "PI"}
    error = step_of(proposal, "Sum")
    assert error["inputs"] == ["reference", {"from": "dc_motor_model", "input": 2, "back": True}]
    assert "SLX326" not in {diagnostic.code for diagnostic in made.diagnostics}


def test_a_circuit_gets_what_every_network_needs() -> None:
    """The reference, the solver and the converter are there unasked, once each."""
    proposal, made = drawn(
        "Simscape RC circuit with a DC voltage source of 5 V, resistor 1 kOhm and capacitor 1 uF, "
        "measure the capacitor voltage on a scope"
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    names = [one["tool"].rsplit("/", 1)[1] for one in proposal.plan["steps"]]
    for needed in ("Electrical Reference", "Solver Configuration", "PS-Simulink Converter"):
        assert names.count(needed) == 1
    assert step_of(proposal, "Resistor")["params"] == {"R": "1e3"}
    assert step_of(proposal, "Capacitor")["params"] == {"c": "1e-6"}


def test_what_is_supposed_is_told() -> None:
    """A loop without a reference and a circuit without a source say what they lack."""
    proposal, _ = drawn("PI controller in closed loop with 1/(s+1)")
    assert proposal.open == ("the reference of the loop is not told: input 1 of the error is open",)
    proposal, _ = drawn("series RLC circuit driven by a sine wave")
    assert proposal.open == ("the circuit names no source: a controlled one was added",)


def test_a_name_that_may_be_several_blocks_is_told() -> None:
    """Of several elements that a word may be, the choice is named with the others."""
    proposal, _ = drawn("Simscape circuit with a voltage source of 5 V and a resistor of 10 Ohm")
    assert len(proposal.open) == 1
    assert "DC Voltage Source" in proposal.open[0]


def test_a_switch_is_set_by_the_comparison_of_the_sentence() -> None:
    """What decides enters the middle port, the threshold and the criterion follow the words."""
    proposal, made = drawn(
        "switch between a sine wave and a constant 0 when a ramp exceeds 5, scope"
    )
    assert made.verdict == "ok"
    switch = step_of(proposal, "Switch")
    assert switch["params"] == {"Criteria": "u2 > Threshold", "Threshold": "5"}
    assert switch["inputs"] == ["sine_wave", "constant", {"from": "ramp", "input": 2}]


def test_numbers_are_spread_over_copies() -> None:
    """Three sources with three frequencies get one each, in rad/s."""
    proposal, made = drawn("three sine waves with frequencies 1, 2 and 3 Hz into a mux and a scope")
    assert made.verdict == "ok"
    waves = [one for one in proposal.plan["steps"] if one["tool"].endswith("/Sine Wave")]
    assert [wave["params"]["Frequency"] for wave in waves] == ["2*pi*1", "2*pi*2", "2*pi*3"]


def test_a_source_of_signals_takes_a_number_of_any_unit_but_time() -> None:
    """A step of 10 N is a step to 10; one of 2 s is a step after 2 s."""
    proposal, _ = drawn("a mass-spring-damper with a force step of 10 N")
    assert step_of(proposal, "Step")["params"] == {"After": "10"}
    assert not proposal.unplaced
    proposal, _ = drawn("a constant and a step of 2 s on a scope")
    assert step_of(proposal, "Step")["params"] == {"Time": "2"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("simulate x'' + 2x' + 5x = p*q with a unit step", "x'' + 2x' + 5x = p*q"),
        ("a sine wave through system('ls') to a scope", "system('ls')"),
        ("a line y = ax + b on a scope", "y = ax + b"),
        ("the signal(s) of a sine wave to a scope", ""),
        ("a step into a gain with K = 5", ""),
    ],
)
def test_what_is_written_as_mathematics_is_not_dropped(text: str, told: str) -> None:
    """An equation or a call that no block stands for is told, however short its words are."""
    proposal, _ = drawn(text)
    assert (told in " ".join(proposal.unplaced)) if told else not proposal.unplaced


@pytest.mark.parametrize("kind", ["DC", "AC"])
def test_an_element_with_twins_in_other_libraries_makes_a_network(kind: str) -> None:
    """A source and a load are a network, whatever else bears the name of the source."""
    said = f"a {kind} voltage source of 12 V across a resistor of 5 ohm, measure the current"
    proposal, made = drawn(said)
    assert step_of(proposal, f"{kind} Voltage Source")["tool"].startswith("fl_lib/")
    assert step_of(proposal, "Resistor")["params"] == {"R": "5"}
    assert made.verdict == "ok"
    assert not proposal.unplaced


def test_no_part_is_dropped_in_silence() -> None:
    """A word that is no block and a number without a parameter are among what is not covered."""
    proposal, _ = drawn("a sine wave through a flanger of 7 into a scope")
    assert any("flanger" in one for one in proposal.unplaced)
    proposal, _ = drawn("a clock with 12 hands on a display")
    assert any("12" in one for one in proposal.unplaced)


@pytest.mark.parametrize(
    "text", ["1/(s" * 2_000, "(" * 7_000 + "s/", "u+" * 4_000, "step " * 2_000, "x=x' " * 1_500]
)
def test_odd_requests_end_soon(text: str) -> None:
    """No request breaks the sketch, and what lies beyond its length is told."""
    proposal, _ = drawn(text)
    assert proposal.unplaced
