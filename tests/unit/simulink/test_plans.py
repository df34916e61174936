"""Plans become models: parameters fitted, lines drawn from port to port, subsystems made."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.pipeline import Compilation, correct
from grounded_builder.setting import Setting
from tests.support.simulink import simulink_registry


def _made(*steps: dict[str, Any], goal: str = "") -> Compilation:
    plan = {"version": 1, "goal": goal, "steps": list(steps)}
    return correct(plan, SIMULINK, simulink_registry(), Setting())


def _wires(made: Compilation) -> set[str]:
    assert made.plan is not None
    return {f"{one['from']} -> {one['to']}" for one in made.plan.connections}


def _blocks(made: Compilation) -> dict[str, Any]:
    assert made.artifact is not None
    return {one["name"]: one for one in made.artifact["model"]["system"]["blocks"]}


def test_steps_without_inputs_are_a_straight_line() -> None:
    """Each step is fed by the one before it; the same plan gives the same bytes."""
    plan: list[dict[str, Any]] = [
        {"tool": "sin wave"},
        {"tool": "gain block", "params": {"k": 2}},
        {"tool": "Scope"},
    ]
    made = _made(*plan)
    assert made.verdict == "ok"
    assert _wires(made) == {"sin_wave:out:1 -> gain_block:in:1", "gain_block:out:1 -> scope:in:1"}
    assert _blocks(made)["Gain"]["parameters"] == {"Gain": "2"}
    again = {orjson.dumps(_made(*plan).artifact) for _ in range(20)}
    assert again == {orjson.dumps(made.artifact)}


def test_feedback_is_drawn_and_is_no_fault() -> None:
    """A loop through a dynamic block compiles."""
    made = _made(
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
    assert "p:out:1 -> e:in:2" in _wires(made)
    assert _blocks(made)["Transfer Fcn"]["parameters"] == {"Denominator": "[1 2 1]"}


def test_blocks_get_as_many_inputs_as_lead_into_them() -> None:
    """A scope of two signals has two inputs; what the draft sets itself is left alone."""
    made = _made(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "b", "tool": "Constant"},
        {"id": "s", "tool": "Scope", "inputs": ["a", "b"]},
    )
    assert _blocks(made)["Scope"]["parameters"] == {"NumInputPorts": "2"}
    fixed = _made(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "b", "tool": "Constant"},
        {"id": "s", "tool": "Sum", "params": {"Inputs": "+"}, "inputs": ["a", "b"]},
    )
    assert fixed.verdict == "wrong"


def test_ports_may_be_counted_from_zero() -> None:
    """A plan that names a port 0 counts all its ports from there."""
    made = _made(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "b", "tool": "Constant"},
        {
            "id": "p",
            "tool": "Product",
            "inputs": [{"from": "a", "output": 0, "input": 1}, {"from": "b", "input": 0}],
        },
        {"id": "s", "tool": "Scope", "inputs": ["p"]},
    )
    assert {"a:out:1 -> p:in:2", "b:out:1 -> p:in:1"} <= _wires(made)


def test_physical_ports_are_joined_by_id_and_domain() -> None:
    """Physical blocks are joined by the ports that are named, else by those of one domain."""
    made = _made(
        {"id": "v", "tool": "DC Voltage Source", "library": "fl_lib"},
        {"id": "r", "tool": "Resistor", "library": "fl_lib", "inputs": ["v"]},
        {"id": "g", "tool": "Electrical Reference", "inputs": ["r", {"from": "v", "output": "n"}]},
        {"id": "s", "tool": "Solver Configuration", "inputs": ["g"]},
    )
    assert made.verdict == "ok"
    assert {"v:lconn:1 -> r:lconn:1", "v:rconn:1 -> g:lconn:1"} <= _wires(made)
    assert _blocks(made)["Solver Configuration"]["source"] == "nesl_utility/Solver\nConfiguration"


def test_a_subsystem_gets_ports_for_what_crosses_its_border() -> None:
    """Steps inside a group lie in a subsystem; lines pass its border by ports, once a signal."""
    made = _made(
        {"id": "r", "tool": "Step"},
        {"id": "k", "tool": "Gain", "inputs": ["r"], "in": "Controller"},
        {"id": "i", "tool": "Integrator", "inputs": ["r"], "in": "Controller"},
        {"id": "s", "tool": "Add", "inputs": ["k", "i"], "in": "Controller"},
        {"id": "o", "tool": "Scope", "inputs": ["s"]},
    )
    assert made.verdict == "ok"
    inner = _blocks(made)["Controller"]
    assert inner["ports"] == {"in": 1, "out": 1}
    kinds = [one["type"] for one in inner["system"]["blocks"]]
    assert kinds == ["Gain", "Integrator", "Sum", "Inport", "Outport"]
    assert len(inner["system"]["lines"]) == 4


def test_a_network_crosses_the_border_of_a_subsystem_by_connection_ports() -> None:
    """Physical lines pass a border by physical ports."""
    made = _made(
        {"id": "v", "tool": "DC Voltage Source", "library": "fl_lib"},
        {"id": "r", "tool": "Resistor", "library": "fl_lib", "inputs": ["v"], "in": "Load"},
        {"id": "g", "tool": "Electrical Reference", "inputs": ["r", {"from": "v", "output": "n"}]},
        {"id": "s", "tool": "Solver Configuration", "inputs": ["g"]},
    )
    assert made.verdict == "ok"
    load = _blocks(made)["Load"]
    assert load["ports"] == {"lconn": 1, "rconn": 1}
    assert [one["type"] for one in load["system"]["blocks"][1:]] == ["PMIOPort", "PMIOPort"]


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
def test_parameters_that_do_not_fit_are_told(tool: str, params: dict[str, Any], code: str) -> None:
    """Hostile values, options and numbers out of range, and names of nothing are findings."""
    made = _made({"tool": "Constant"}, {"tool": tool, "params": params}, {"tool": "Terminator"})
    assert code in {one.code for one in made.diagnostics}
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
    made = _made({"id": "b", "tool": tool, "params": given})
    assert made.plan is not None
    assert made.plan.nodes[0]["params"][name] == value
