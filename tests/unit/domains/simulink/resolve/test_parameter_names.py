"""Names of parameters and options in drafts resolve if unambiguous, or are reported."""

from __future__ import annotations

import pytest

from evals.bench.simulink_intended_names import PARAMETERS, grade_parameter, read_entries
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry
from tests.support.time_bounds import limit_cpu_time


def came(tool: str, **params: str) -> tuple[dict[str, str], list[str]]:
    """Returns the settings that a plan gives to a block, and the findings other than notes."""
    plan = {"goal": "x", "steps": [{"id": "b", "tool": tool, "params": params}]}
    answer = compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())
    assert answer.plan is not None
    diagnostics = [
        diagnostic.code
        for diagnostic in answer.diagnostics
        if diagnostic.code in ("GB305", "GB308", "SLX301")
    ]
    return answer.plan.nodes[0]["params"], diagnostics


@pytest.mark.parametrize(
    ("tool", "key", "value", "expected"),
    [
        ("Relay", "Switch on point", "1", {"OnSwitchValue": "1"}),
        ("Sum", "List of signs", "+-", {"Inputs": "+-"}),
        ("Band-Limited White Noise", "noise power", "2", {"Cov": "2"}),
        ("Pulse Generator", "Pulse Width (% of period)", "20", {"PulseWidth": "20"}),
        ("PID Controller", "integral gain", "2", {"I": "2"}),
        ("State-Space", "A matrix", "-1", {"A": "-1"}),
        ("Sine Wave", "ampl", "2", {"Amplitude": "2"}),
    ],
)
def test_labels_of_dialogs_name_parameters(
    tool: str, key: str, value: str, expected: dict[str, str]
) -> None:
    """Dialog prompts name parameters, with or without filler words."""
    assert came(tool, **{key: value}) == (expected, [])


@pytest.mark.parametrize(
    ("tool", "key", "value"),
    [
        ("Sine Wave", "offset", "1"),
        ("Chirp Signal", "frequency", "1"),
        ("Integrator", "limit", "3"),
        ("Scope", "axes", "3"),
    ],
)
def test_a_name_of_several_is_reported(tool: str, key: str, value: str) -> None:
    """A name that may be another parameter's is left out and reported: nothing is set silently."""
    settings, results = came(tool, **{key: value})
    assert value not in settings.values()
    assert results == ["GB308"]


@pytest.mark.parametrize(
    ("tool", "key", "value", "expected"),
    [
        ("Switch", "Criteria", "u2>=threshold", "u2 >= Threshold"),
        ("Relational Operator", "Operator", "!=", "~="),
        ("Discrete PID Controller", "Controller", "pi", "PI"),
        ("1-D Lookup Table", "InterpMethod", "linear", "Linear"),
    ],
)
def test_an_option_is_found_but_for_its_spelling(
    tool: str, key: str, value: str, expected: str
) -> None:
    """Case, spaces and the operators of other languages make no other option."""
    settings, results = came(tool, **{key: value})
    assert settings[key] == expected
    assert not results


@pytest.mark.parametrize(("key", "value"), [("Controller", "PDD"), ("AntiWindupMode", "external")])
def test_another_option_is_reported(key: str, value: str) -> None:
    """A value that is no option is reported: a menu evaluates no name of a variable."""
    assert came("PID Controller", **{key: value})[1] == ["GB305"]


def test_parameters_as_others_write_them() -> None:
    """None of the listed parameters and values is set wrongly, and nearly all are found."""
    registry = simulink_registry()
    states = [grade_parameter(entry, registry)[0] for entry in read_entries(PARAMETERS, "seen")]
    assert "wrong" not in states
    assert states.count("missed") <= len(states) // 50


def test_too_long_parameter_name_is_reported_at_once() -> None:
    """Thousands of open brackets in place of a parameter name take no time."""
    with limit_cpu_time(1):
        _, results = came("Gain", **{"1/(s^2+" * 11_000: "1"})
    assert results == ["GB308"]
