"""Both ends of every line, every input of every block."""

from __future__ import annotations

import pytest

from tests.support.simulink_models import block, check_model, codes, model, system

GAIN = block("g", "Gain")
ONE = block("one", "Constant")
END = block("end", "Terminator")


def test_a_straight_line_is_silent() -> None:
    """A source, a gain and a sink, joined, give nothing to say."""
    assert codes(model([ONE, GAIN, END], "one -> g", "g -> end")) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("one -> g:2", "GB314"),
        ("one:2 -> g", "GB314"),
        ("one -> nobody", "GB313"),
        ("nobody -> g", "GB313"),
        ("one -> g.out1", "GB315"),
        ("g.in1 -> end", "GB315"),
    ],
)
def test_an_end_that_lies_nowhere_is_wrong(line: str, code: str) -> None:
    """Blocks and ports that are not there, and ends of the wrong direction, are reported once."""
    diagnostics = [d for d in check_model(model([ONE, GAIN, END], line)) if d.rule.kind == "wrong"]
    assert [d.code for d in diagnostics] == [code]
    assert diagnostics[0].at[:3] == ("system", "lines", 0)


def test_two_lines_into_one_input_are_wrong() -> None:
    """An input takes one line; an output gives to many."""
    two = block("two", "Constant")
    assert codes(model([ONE, two, END], "one -> end", "two -> end")) == ["GB317"]
    other = block("other", "Terminator")
    assert codes(model([ONE, END, other], "one -> end, other")) == []


def test_an_input_without_a_line_is_advice() -> None:
    """Simulink takes the model and reads zero."""
    diagnostics = check_model(model([GAIN, END], "g -> end"))
    assert [(d.code, d.node, d.rule.kind) for d in diagnostics] == [("SLX321", "g", "advice")]


def test_loose_ends_are_advice() -> None:
    """A line that begins or ends at no block is reported."""
    document = model([ONE, END], "one -> end")
    document["system"]["lines"] += [{"from": {"block": "one", "kind": "out", "index": 1}}, {}]
    assert codes(document) == ["SLX322", "SLX322"]


def test_ports_of_a_subsystem_are_those_inside() -> None:
    """The blocks inside decide, whatever count the file states."""
    inner = system([block("in", "Inport"), block("out", "Outport")], "in -> out")
    sub = block("sub", "SubSystem", inner) | {"ports": {"in": 2, "out": 1}}
    assert codes(model([ONE, sub, END], "one -> sub", "sub -> end")) == []
    assert codes(model([ONE, sub, END], "one -> sub:2", "sub -> end")) == ["GB314"]


@pytest.mark.parametrize(
    ("port", "kind"),
    [("EnablePort", "enable"), ("TriggerPort", "trigger"), ("ResetPort", "reset")],
)
def test_control_ports_come_from_inside(port: str, kind: str) -> None:
    """A subsystem has the control ports whose blocks it holds."""
    sub = block("sub", "SubSystem", system([block("p", port)]))
    assert codes(model([ONE, sub], f"one -> sub.{kind}1")) == []
    bare = block("sub", "SubSystem", system([]))
    assert codes(model([ONE, bare], f"one -> sub.{kind}1")) == ["GB314"]


def test_an_action_comes_from_a_decision() -> None:
    """An action port takes an If or Switch Case, directly or through others, not a number."""
    sub = block("sub", "SubSystem", system([block("p", "ActionPort")]))
    decision = block("if", "If", IfExpression="u1 > 0", ShowElse="off")
    assert codes(model([ONE, decision, sub], "one -> if", "if -> sub.ifaction1")) == []
    assert codes(model([ONE, sub], "one -> sub.ifaction1")) == ["GB315"]
    passed = block("pass", "BusSelector", OutputSignals="a")
    assert "GB315" not in codes(model([passed, sub], "pass -> sub.ifaction1"))


def test_signals_and_physical_ports_do_not_mix() -> None:
    """A signal cannot arrive at a resistor, nor a physical connection at a gain."""
    earth = block("e", "", source="fl_lib/Electrical/Electrical Elements/Electrical Reference")
    assert "GB315" in codes(model([ONE, earth], "one -> e.lconn1"))
    assert "GB315" in codes(model([earth, GAIN], "e.lconn1 -- g.in1"))


def test_commented_out_block_may_be_unconnected() -> None:
    """A block that does not take part in the simulation needs no lines."""
    silent = GAIN | {"properties": {"Commented": "on"}}
    assert codes(model([silent])) == []


def test_variants_and_charts_are_not_judged_inside() -> None:
    """The inside of charts and variants is not checked."""
    inner = system([GAIN])
    chart = block("c", "SubSystem", inner) | {"opaque": "chart"}
    variant = block("v", "SubSystem", system([block("h", "Gain")]), Variant="on")
    assert codes(model([chart, variant])) == []


def test_a_drafted_mask_has_the_ports_of_its_library() -> None:
    """A block of a mask that a plan puts down has no port beyond those of the library."""
    ramp = {"sid": "r", "name": "r", "type": "SubSystem", "source": "simulink/Sources/Ramp"}
    sink = block("t", "Terminator")
    assert "GB314" in codes(model([ramp, sink], "r:4 -> t"))
    assert "GB314" not in codes(model([ramp, sink], "r -> t"))
