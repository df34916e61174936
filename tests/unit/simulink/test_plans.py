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


def test_one_signal_may_feed_several_inputs() -> None:
    """A block that is named twice, for two inputs, is led to both."""
    made = _made(
        {"id": "a", "tool": "Sine Wave"},
        {"id": "p", "tool": "Product", "inputs": ["a", {"from": "a", "input": 2}]},
        {"id": "s", "tool": "Scope", "inputs": ["p"]},
    )
    assert {"a:out:1 -> p:in:1", "a:out:1 -> p:in:2"} <= _wires(made)


def _inner(made: Compilation, name: str) -> dict[str, Any]:
    """The blocks of a subsystem by name."""
    return {one["name"]: one for one in _blocks(made)[name]["system"]["blocks"]}


def test_a_subsystem_of_the_library_holds_what_it_holds_there() -> None:
    """One that nothing lies in leads its input to its output; a line beyond them is wrong."""
    made = _made(
        {"id": "r", "tool": "Step"},
        {"id": "s", "tool": "Atomic Subsystem", "inputs": ["r"]},
        {"id": "o", "tool": "Scope", "inputs": ["s"]},
    )
    assert made.verdict == "ok"
    held = _blocks(made)["Atomic Subsystem"]
    assert held["ports"] == {"in": 1, "out": 1}
    assert [one["type"] for one in held["system"]["blocks"]] == ["Inport", "Outport"]
    assert len(held["system"]["lines"]) == 1
    beyond = _made(
        {"id": "r", "tool": "Step"},
        {"id": "s", "tool": "Subsystem", "inputs": ["r", {"from": "r", "input": 2}]},
        {"id": "o", "tool": "Scope", "inputs": [{"from": "s", "output": 2}]},
    )
    told = {(one.code, one.token) for one in beyond.diagnostics if one.rule.kind == "wrong"}
    assert told == {("GB314", "in:2"), ("GB314", "out:2")}
    assert beyond.artifact is None


@pytest.mark.parametrize(
    ("tool", "port", "source", "kind"),
    [
        ("Enabled Subsystem", "enable", "Step", "EnablePort"),
        ("Triggered Subsystem", "trigger", "Step", "TriggerPort"),
        ("Function-Call Subsystem", "trigger", "Function-Call Generator", "TriggerPort"),
        ("If Action Subsystem", "ifaction", "If", "ActionPort"),
        ("Resettable Subsystem", "reset", "Step", "ResetPort"),
        ("For Each Subsystem", None, None, "ForEach"),
    ],
)
def test_a_subsystem_stays_what_it_is(
    tool: str, port: str | None, source: str | None, kind: str
) -> None:
    """Steps that lie in a conditional or repeated subsystem do not take out what makes it one."""
    fed = [{"id": "e", "tool": source, "inputs": []}] if source else []
    lines = [{"from": "e", "input": port}] if port else []
    for inside in (True, False):
        made = _made(
            {"id": "r", "tool": "Step", "inputs": []},
            *fed,
            {"id": "s", "tool": tool, "inputs": lines if inside else ["r", *lines]},
            *([{"id": "g", "tool": "Gain", "inputs": ["r"], "in": "s"}] if inside else []),
            {"id": "o", "tool": "Scope", "inputs": ["g" if inside else "s"]},
        )
        assert made.verdict == "ok", [one.message for one in made.diagnostics]
        kinds = [one["type"] for one in _inner(made, tool).values()]
        assert kinds.count(kind) == 1
        expected = {"in": 1, "out": 1} | ({port: 1} if port else {})
        assert _blocks(made)[tool]["ports"] == expected
    if tool == "Function-Call Subsystem":
        trigger = _inner(made, tool)["function"]
        assert trigger["parameters"] == {"TriggerType": "function-call"}


def test_a_line_to_a_control_port_makes_it() -> None:
    """A plain subsystem gets the block for the control port that is named; that is told."""
    made = _made(
        {"id": "r", "tool": "Step", "inputs": []},
        {"id": "s", "tool": "Subsystem", "inputs": ["r", {"from": "r", "input": "enable"}]},
        {"id": "o", "tool": "Scope", "inputs": ["s"]},
    )
    assert made.verdict == "ok"
    assert "Enable" in _inner(made, "Subsystem")
    assert [one.code for one in made.diagnostics] == ["GB402"]
    drafted = _made(
        {"id": "r", "tool": "Step", "inputs": []},
        {"id": "s", "tool": "Subsystem", "inputs": [{"from": "r", "input": "trigger"}]},
        {"id": "t", "tool": "Trigger", "in": "s", "params": {"TriggerType": "falling"}},
        {"id": "g", "tool": "Gain", "in": "s", "inputs": ["r"]},
    )
    assert drafted.verdict == "ok"
    assert list(_inner(drafted, "Subsystem")) == ["Trigger", "Gain", "In1"]
    assert not [one for one in drafted.diagnostics if one.code == "GB402"]


def test_port_blocks_that_are_drafted_are_the_ports() -> None:
    """Lines lead to the ports of the drafted blocks, named by the subsystem or by the block;
    what crosses beside them gets a port of its own.
    """
    steps: list[dict[str, Any]] = [
        {"id": "a", "tool": "Step", "inputs": []},
        {"id": "b", "tool": "Constant", "inputs": []},
        {"id": "s", "tool": "Subsystem", "inputs": [{"from": "b", "input": 2}]},
        {"id": "u", "tool": "In1", "in": "s", "inputs": ["a"]},
        {"id": "v", "tool": "In1", "in": "s", "inputs": []},
        {"id": "m", "tool": "Add", "in": "s", "inputs": ["u", "v"]},
        {"id": "k", "tool": "Product", "in": "s", "inputs": ["m", "b"]},
        {"id": "y", "tool": "Out1", "in": "s", "inputs": ["k"]},
        {"id": "o", "tool": "Scope", "inputs": ["y"]},
        {"id": "p", "tool": "Display", "inputs": ["s"]},
    ]
    made = _made(*steps)
    assert made.verdict == "ok", [one.message for one in made.diagnostics]
    assert _blocks(made)["Subsystem"]["ports"] == {"in": 3, "out": 1}
    lines = made.artifact["model"]["system"]["lines"] if made.artifact else []
    ends = [line.get("branches") or [line] for line in lines]
    arrivals = {(one["to"]["block"], one["to"]["index"]) for every in ends for one in every}
    held = _blocks(made)["Subsystem"]["sid"]
    assert {index for block, index in arrivals if block == held} == {1, 2, 3}
    ports = {
        name: one.get("parameters", {}).get("Port", "1")
        for name, one in _inner(made, "Subsystem").items()
    }
    assert (ports["In1"], ports["In11"], ports["In3"], ports["Out1"]) == ("1", "2", "3", "1")


def test_port_blocks_are_numbered_as_they_come() -> None:
    """Port blocks of one diagram that state no number have one each; stated ones stay."""
    made = _made(
        {"id": "a", "tool": "In1", "inputs": []},
        {"id": "b", "tool": "In1", "params": {"Port": "1"}, "inputs": []},
        {"id": "c", "tool": "In1", "inputs": []},
        {"id": "m", "tool": "Add", "params": {"Inputs": "+++"}, "inputs": ["a", "b", "c"]},
        {"id": "y", "tool": "Out1", "inputs": ["m"]},
    )
    assert made.verdict == "ok", [one.message for one in made.diagnostics]
    ports = [one.get("parameters", {}).get("Port") for one in _blocks(made).values()]
    assert ports[:3] == ["2", "1", "3"]


def test_signals_bear_the_names_that_a_plan_gives_them() -> None:
    """A line is named where its signal begins, inside of subsystems too; one name a signal."""
    made = _made(
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
    assert made.verdict == "ok", [one.message for one in made.diagnostics]
    assert made.artifact is not None
    outer = made.artifact["model"]["system"]
    inner = _blocks(made)["s"]["system"]
    assert [line.get("name") for line in inner["lines"]] == ["way"]
    assert sorted(line.get("name", "") for line in outer["lines"]) == ["", "", 'a "word"']
    told = [one.message for one in made.diagnostics if one.code == "GB402"]
    assert any('not "other"' in message for message in told)
