"""Plans become subsystems with border ports, library contents and control ports."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_plans import blocks_inside, blocks_of, compile_steps


def test_a_subsystem_gets_ports_for_what_crosses_its_border() -> None:
    """Steps inside a group lie in a subsystem; lines pass its border by ports, once a signal."""
    made = compile_steps(
        {"id": "r", "tool": "Step"},
        {"id": "k", "tool": "Gain", "inputs": ["r"], "in": "Controller"},
        {"id": "i", "tool": "Integrator", "inputs": ["r"], "in": "Controller"},
        {"id": "s", "tool": "Add", "inputs": ["k", "i"], "in": "Controller"},
        {"id": "o", "tool": "Scope", "inputs": ["s"]},
    )
    assert made.verdict == "ok"
    inner = blocks_of(made)["Controller"]
    assert inner["ports"] == {"in": 1, "out": 1}
    kinds = [block["type"] for block in inner["system"]["blocks"]]
    assert kinds == ["Gain", "Integrator", "Sum", "Inport", "Outport"]
    assert len(inner["system"]["lines"]) == 4


def test_a_network_crosses_the_border_of_a_subsystem_by_connection_ports() -> None:
    """Physical lines pass a border by physical ports."""
    made = compile_steps(
        {"id": "v", "tool": "DC Voltage Source", "library": "fl_lib"},
        {"id": "r", "tool": "Resistor", "library": "fl_lib", "inputs": ["v"], "in": "Load"},
        {"id": "g", "tool": "Electrical Reference", "inputs": ["r", {"from": "v", "output": "n"}]},
        {"id": "s", "tool": "Solver Configuration", "inputs": ["g"]},
    )
    assert made.verdict == "ok"
    load = blocks_of(made)["Load"]
    assert load["ports"] == {"lconn": 1, "rconn": 1}
    assert [block["type"] for block in load["system"]["blocks"][1:]] == ["PMIOPort", "PMIOPort"]


def test_a_subsystem_of_the_library_holds_what_it_holds_there() -> None:
    """One that nothing lies in leads its input to its output; a line beyond them is wrong."""
    made = compile_steps(
        {"id": "r", "tool": "Step"},
        {"id": "s", "tool": "Atomic Subsystem", "inputs": ["r"]},
        {"id": "o", "tool": "Scope", "inputs": ["s"]},
    )
    assert made.verdict == "ok"
    held = blocks_of(made)["Atomic Subsystem"]
    assert held["ports"] == {"in": 1, "out": 1}
    assert [block["type"] for block in held["system"]["blocks"]] == ["Inport", "Outport"]
    assert len(held["system"]["lines"]) == 1
    beyond = compile_steps(
        {"id": "r", "tool": "Step"},
        {"id": "s", "tool": "Subsystem", "inputs": ["r", {"from": "r", "input": 2}]},
        {"id": "o", "tool": "Scope", "inputs": [{"from": "s", "output": 2}]},
    )
    diagnostics = {
        (diagnostic.code, diagnostic.token)
        for diagnostic in beyond.diagnostics
        if diagnostic.rule.kind == "wrong"
    }
    assert diagnostics == {("GB314", "in:2"), ("GB314", "out:2")}
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
        made = compile_steps(
            {"id": "r", "tool": "Step", "inputs": []},
            *fed,
            {"id": "s", "tool": tool, "inputs": lines if inside else ["r", *lines]},
            *([{"id": "g", "tool": "Gain", "inputs": ["r"], "in": "s"}] if inside else []),
            {"id": "o", "tool": "Scope", "inputs": ["g" if inside else "s"]},
        )
        assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
        kinds = [item["type"] for item in blocks_inside(made, tool).values()]
        assert kinds.count(kind) == 1
        expected = {"in": 1, "out": 1} | ({port: 1} if port else {})
        assert blocks_of(made)[tool]["ports"] == expected
    if tool == "Function-Call Subsystem":
        trigger = blocks_inside(made, tool)["function"]
        assert trigger["parameters"] == {"TriggerType": "function-call"}


def test_a_line_to_a_control_port_makes_it() -> None:
    """A plain subsystem gets the block for the control port that is named; that is reported."""
    made = compile_steps(
        {"id": "r", "tool": "Step", "inputs": []},
        {"id": "s", "tool": "Subsystem", "inputs": ["r", {"from": "r", "input": "enable"}]},
        {"id": "o", "tool": "Scope", "inputs": ["s"]},
    )
    assert made.verdict == "ok"
    assert "Enable" in blocks_inside(made, "Subsystem")
    assert [diagnostic.code for diagnostic in made.diagnostics] == ["GB402"]
    drafted = compile_steps(
        {"id": "r", "tool": "Step", "inputs": []},
        {"id": "s", "tool": "Subsystem", "inputs": [{"from": "r", "input": "trigger"}]},
        {"id": "t", "tool": "Trigger", "in": "s", "params": {"TriggerType": "falling"}},
        {"id": "g", "tool": "Gain", "in": "s", "inputs": ["r"]},
    )
    assert drafted.verdict == "ok"
    assert list(blocks_inside(drafted, "Subsystem")) == ["Trigger", "Gain", "In1"]
    assert not [diagnostic for diagnostic in drafted.diagnostics if diagnostic.code == "GB402"]


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
    made = compile_steps(*steps)
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    assert blocks_of(made)["Subsystem"]["ports"] == {"in": 3, "out": 1}
    lines = made.artifact["model"]["system"]["lines"] if made.artifact else []
    ends = [line.get("branches") or [line] for line in lines]
    arrivals = {(item["to"]["block"], item["to"]["index"]) for every in ends for item in every}
    held = blocks_of(made)["Subsystem"]["sid"]
    assert {index for block, index in arrivals if block == held} == {1, 2, 3}
    ports = {
        name: item.get("parameters", {}).get("Port", "1")
        for name, item in blocks_inside(made, "Subsystem").items()
    }
    assert (ports["In1"], ports["In11"], ports["In3"], ports["Out1"]) == ("1", "2", "3", "1")


def test_port_blocks_are_numbered_as_they_come() -> None:
    """Port blocks of one diagram that state no number have one each; stated ones stay."""
    made = compile_steps(
        {"id": "a", "tool": "In1", "inputs": []},
        {"id": "b", "tool": "In1", "params": {"Port": "1"}, "inputs": []},
        {"id": "c", "tool": "In1", "inputs": []},
        {"id": "m", "tool": "Add", "params": {"Inputs": "+++"}, "inputs": ["a", "b", "c"]},
        {"id": "y", "tool": "Out1", "inputs": ["m"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    ports = [block.get("parameters", {}).get("Port") for block in blocks_of(made).values()]
    assert ports[:3] == ["2", "1", "3"]


def test_a_drafted_part_is_the_part() -> None:
    """The block that repeats its subsystem may be drafted with its settings: it is not made twice,
    and nested in no further one.
    """
    made = compile_steps(
        {"id": "u", "tool": "Constant"},
        {"id": "f", "tool": "For Iterator Subsystem", "inputs": ["u"]},
        {"id": "n", "tool": "For Iterator", "in": "f", "params": {"IterationLimit": "10"}},
        {"id": "x", "tool": "In1", "in": "f", "inputs": []},
        {"id": "p", "tool": "Product", "in": "f", "inputs": ["x", "n"]},
        {"id": "y", "tool": "Out1", "in": "f", "inputs": ["p"]},
        {"id": "v", "tool": "Display", "inputs": ["f"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
    held = blocks_inside(made, "For Iterator Subsystem")
    kinds = [item["type"] for item in held.values()]
    assert kinds == ["ForIterator", "Inport", "Product", "Outport"]
    assert held["For Iterator"]["parameters"] == {"IterationLimit": "10"}


def test_an_element_without_known_domains_is_no_subsystem() -> None:
    """Lines to an element of a network are physical, whatever is known of its mask."""
    made = compile_steps(
        {"id": "p", "tool": "Hydraulic Constant Pressure Source"},
        {"id": "r", "tool": "Linear Hydraulic Resistance", "inputs": ["p"]},
        {"id": "g", "tool": "Hydraulic Reference", "inputs": ["r"]},
        {"id": "s", "tool": "Solver Configuration", "inputs": ["g"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]


def test_a_source_in_the_middle_follows_nothing_of_another_domain() -> None:
    """A step without inputs among steps that name theirs is fed by none that it cannot meet."""
    made = compile_steps(
        {"id": "u", "tool": "Step"},
        {"id": "k", "tool": "Simulink-PS Converter", "inputs": ["u"]},
        {"id": "v", "tool": "DC Voltage Source", "library": "fl_lib"},
        {
            "id": "w",
            "tool": "Switch",
            "library": "fl_lib",
            "inputs": [{"from": "v", "output": "LConn1"}, {"from": "k", "input": "RConn1"}],
        },
        {
            "id": "g",
            "tool": "Electrical Reference",
            "inputs": [{"from": "v", "output": "RConn1"}, {"from": "w", "output": "RConn2"}],
        },
        {"id": "s", "tool": "Solver Configuration", "inputs": ["g"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]


def test_a_graph_of_x_and_y_takes_both() -> None:
    """Two signals enter a graph of one over the other."""
    made = compile_steps(
        {"id": "x", "tool": "Sine Wave", "inputs": []},
        {"id": "y", "tool": "Step", "inputs": []},
        {"id": "g", "tool": "XY Graph", "inputs": ["x", "y"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]


def test_an_index_may_come_by_a_port() -> None:
    """A Selector has an input for each index that its options take from a port."""
    made = compile_steps(
        {"id": "n", "tool": "Constant", "inputs": []},
        {"id": "d", "tool": "Constant", "params": {"Value": "1:5"}, "inputs": []},
        {
            "id": "s",
            "tool": "Selector",
            "params": {"IndexOptions": "Starting index (port)", "OutputSizes": "2"},
            "inputs": ["d", "n"],
        },
        {"id": "v", "tool": "Display", "inputs": ["s"]},
    )
    assert made.verdict == "ok", [diagnostic.message for diagnostic in made.diagnostics]
