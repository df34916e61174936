"""Plans become models: parameters fitted, lines drawn from port to port, signals named."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tests.support.simulink_plans import blocks_of, compile_steps, wires_of


def test_steps_without_inputs_are_a_straight_line() -> None:
    """Each step is fed by the one before it; the same plan gives the same bytes."""
    plan: list[dict[str, Any]] = [
        {"tool": "sin wave"},
        {"tool": "gain block", "params": {"k": 2}},
        {"tool": "Scope"},
    ]
    made = compile_steps(*plan)
    assert made.verdict == "ok"
    assert wires_of(made) == {"sin_wave:out:1 -> gain_block:in:1", "gain_block:out:1 -> scope:in:1"}
    assert blocks_of(made)["Gain"]["parameters"] == {"Gain": "2"}
    again = {orjson.dumps(compile_steps(*plan).artifact) for _ in range(20)}
    assert again == {orjson.dumps(made.artifact)}


def test_feedback_is_drawn_and_is_no_fault() -> None:
    """A loop through a dynamic block compiles."""
    made = compile_steps(
        {"id": "r", "tool": "Step"},
        {
            "id": "e",
            "tool": "Sum",
            "params": {"signs": "|+-"},
            "inputs": ["r", {"from": "p", "input": 2, "back": True}],
        },
        {"id": "c", "tool": "PID", "params": {"kp": 2, "ki": 1}, "inputs": ["e"]},
        {"id": "p", "tool": "Transfer Function", "params": {"den": [1, 2, 1]}, "inputs": ["c"]},
        {"id": "o", "tool": "Scope", "inputs": ["p"]},
    )
    assert made.verdict == "ok"
    assert "p:out:1 -> e:in:2" in wires_of(made)
    assert blocks_of(made)["Transfer Fcn"]["parameters"] == {"Denominator": "[1 2 1]"}


def test_blocks_get_as_many_inputs_as_lead_into_them() -> None:
    """A scope of two signals has two inputs; what the draft sets itself is left alone."""
    made = compile_steps(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "b", "tool": "Constant"},
        {"id": "s", "tool": "Scope", "inputs": ["a", "b"]},
    )
    assert blocks_of(made)["Scope"]["parameters"] == {"NumInputPorts": "2"}
    fixed = compile_steps(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "b", "tool": "Constant"},
        {"id": "s", "tool": "Sum", "params": {"Inputs": "+"}, "inputs": ["a", "b"]},
    )
    assert fixed.verdict == "wrong"


def test_ports_may_be_counted_from_zero() -> None:
    """A plan that names a port 0 counts all its ports from there."""
    made = compile_steps(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "b", "tool": "Constant"},
        {
            "id": "p",
            "tool": "Product",
            "inputs": [{"from": "a", "output": 0, "input": 1}, {"from": "b", "input": 0}],
        },
        {"id": "s", "tool": "Scope", "inputs": ["p"]},
    )
    assert {"a:out:1 -> p:in:2", "b:out:1 -> p:in:1"} <= wires_of(made)


def test_physical_ports_are_joined_by_id_and_domain() -> None:
    """Physical blocks are joined by the ports that are named, else by those of one domain."""
    made = compile_steps(
        {"id": "v", "tool": "DC Voltage Source", "library": "fl_lib"},
        {"id": "r", "tool": "Resistor", "library": "fl_lib", "inputs": ["v"]},
        {"id": "g", "tool": "Electrical Reference", "inputs": ["r", {"from": "v", "output": "n"}]},
        {"id": "s", "tool": "Solver Configuration", "inputs": ["g"]},
    )
    assert made.verdict == "ok"
    assert {"v:lconn:1 -> r:lconn:1", "v:rconn:1 -> g:lconn:1"} <= wires_of(made)
    assert blocks_of(made)["Solver Configuration"]["source"] == "nesl_utility/Solver\nConfiguration"


@pytest.mark.parametrize(
    ("tool", "params", "code"),
    [
        ("Gain", {"Gain": "system('dir')"}, "SLX301"),
        ("Gain", {"Gain": "1; quit"}, "SLX301"),
        ("Saturation", {"UpperLimit": "!ls"}, "SLX301"),
        ("Gain", {"InitFcn": "delete *"}, "SLX301"),
        ("Relational Operator", {"Operator": "=<>"}, "GB305"),
        ("Display", {"Decimation": 0}, "GB307"),
        ("Gain", {"Amplification": {"a": 1}}, "GB308"),
        ("Gain", {"Wibble": 3}, "GB308"),
    ],
)
def test_parameters_that_do_not_fit_are_reported(
    tool: str, params: dict[str, Any], code: str
) -> None:
    """Hostile values, options and numbers out of range, and names of nothing are findings."""
    made = compile_steps(
        {"tool": "Constant"}, {"tool": tool, "params": params}, {"tool": "Terminator"}
    )
    assert code in {diagnostic.code for diagnostic in made.diagnostics}
    assert made.verdict != "ok"


@pytest.mark.parametrize(
    ("tool", "given", "name", "value"),
    [
        ("Relational Operator", {"operator": ">="}, "Operator", ">="),
        ("Trigonometric Function", {"function": "COS"}, "Operator", "cos"),
        ("Integrator", {"external reset": "Rising"}, "ExternalReset", "rising"),
        ("Integrator", {"limit output": True}, "LimitOutput", "on"),
        ("Step", {"final value": 5}, "After", "5"),
        ("Transfer Fcn", {"den": [1, 2]}, "Denominator", "[1 2]"),
        ("State-Space", {"A": [[0, 1], [2, 3]]}, "A", "[0 1; 2 3]"),
        ("Saturation", {"upper": 2.5}, "UpperLimit", "2.5"),
        ("dsparch4/Analog Filter Design", {"cutoff": 100}, "Wlo", "100"),
        ("Constant", {"value": "Kp"}, "Value", "Kp"),
    ],
)
def test_loose_parameters_find_their_place(
    tool: str, given: dict[str, Any], name: str, value: str
) -> None:
    """Names and options as people write them are those of the block."""
    made = compile_steps({"id": "b", "tool": tool, "params": given})
    assert made.plan is not None
    assert made.plan.nodes[0]["params"][name] == value


def test_one_signal_may_feed_several_inputs() -> None:
    """A block that is named twice, for two inputs, is led to both."""
    made = compile_steps(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "p", "tool": "Product", "inputs": ["a", {"from": "a", "input": 2}]},
        {"id": "s", "tool": "Scope", "inputs": ["p"]},
    )
    assert {"a:out:1 -> p:in:1", "a:out:1 -> p:in:2"} <= wires_of(made)


def test_signals_bear_the_names_that_a_plan_gives_them() -> None:
    """A line is named where its signal begins, inside of subsystems too; one name a signal."""
    made = compile_steps(
        {"id": "a", "tool": "Sine Wave", "in": "s"},
        {"id": "b", "tool": "Constant", "inputs": []},
        {
            "id": "c",
            "tool": "Bus Creator",
            "inputs": [{"from": "a", "signal": "way"}, {"from": "b", "signal": 'a "word"'}],
        },
        {"id": "d", "tool": "Display", "inputs": [{"from": "b", "signal": "other"}]},
        {"id": "t", "tool": "Terminator", "inputs": ["c"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    assert made.artifact is not None
    outer = made.artifact["model"]["system"]
    inner = blocks_of(made)["s"]["system"]
    assert [line.get("name") for line in inner["lines"]] == ["way"]
    assert sorted(line.get("name", "") for line in outer["lines"]) == ["", "", 'a "word"']
    diagnostics = [
        diagnostic.message for diagnostic in made.diagnostics if diagnostic.code == "GB402"
    ]
    assert any('not "other"' in message for message in diagnostics)
