"""Loops, lengths, types, rates and buses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_models import block, check_model, codes, model, system

ONE = block("one", "Constant")
SUM = block("sum", "Sum", Inputs="++")


@pytest.mark.parametrize(
    ("kind", "parameters", "loops"),
    [
        ("Gain", {}, True),
        ("UnitDelay", {}, False),
        ("Integrator", {}, False),
        ("TransferFcn", {"Numerator": "[1]", "Denominator": "[1 1]"}, False),
        ("TransferFcn", {"Numerator": "[1 2]", "Denominator": "[1 1]"}, True),
    ],
)
def test_a_loop_needs_a_delay(kind: str, parameters: dict[str, Any], loops: bool) -> None:
    """A feedback loop is algebraic when every block in it passes its input on at once."""
    document = model(
        [ONE, SUM, block("b", kind, **parameters)], "one -> sum:1", "sum -> b", "b -> sum:2"
    )
    assert codes(document) == (["SLX326"] if loops else [])


def test_loops_are_found_through_subsystems_and_tags() -> None:
    """Borders of subsystems and tags neither make nor break a loop."""
    inner = system(
        [block("i", "Inport"), block("k", "Gain"), block("o", "Outport")], "i -> k", "k -> o"
    )
    sub = block("sub", "SubSystem", inner)
    goto, come = block("g", "Goto", GotoTag="x"), block("f", "From", GotoTag="x")
    document = model(
        [ONE, SUM, sub, goto, come], "one -> sum:1", "sum -> sub", "sub -> g", "f -> sum:2"
    )
    diagnostics = [d for d in check_model(document) if d.code == "SLX326"]
    assert len(diagnostics) == 1
    assert "sub/k" in diagnostics[0].message


def test_unknown_link_forms_no_loop() -> None:
    """A link whose inside is unknown may delay its signals."""
    link = block("b", "", source="my_library/Controller")
    document = model([ONE, SUM, link], "one -> sum:1", "sum -> b", "b -> sum:2")
    assert "SLX326" not in codes(document)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("[1 2]", "[1 2 3]", ["SLX331"]),
        ("[1 2]", "[3 4]", []),
        ("1", "[1 2 3]", []),
        ("k", "[1 2 3]", []),
        ("ones(2)", "ones(2,3)", ["SLX331"]),
    ],
)
def test_lengths_of_a_sum_fit(first: str, second: str, expected: list[str]) -> None:
    """Vectors of different length cannot be added; what a variable holds is not known."""
    ends = [block("a", "Constant", Value=first), block("b", "Constant", Value=second)]
    document = model([*ends, SUM, block("t", "Terminator")], "a -> sum:1", "b -> sum:2", "sum -> t")
    assert codes(document) == expected


def test_lengths_go_through_blocks_that_keep_them() -> None:
    """A length is carried through gains, delays, borders and multiplexers."""
    wide = block("a", "Constant", Value="[1 2]")
    more = block("b", "Constant", Value="3")
    document = model(
        [
            wide,
            more,
            block("k", "Gain"),
            block("m", "Mux", Inputs="2"),
            SUM,
            block("t", "Terminator"),
        ],
        "a -> k, m:1",
        "b -> m:2",
        "k -> sum:1",
        "m -> sum:2",
        "sum -> t",
    )
    assert codes(document) == ["SLX331"]


def test_types_are_compared_where_the_file_asks() -> None:
    """A block that takes inputs of one type gets two; one that takes any is silent."""
    ends = [
        block("a", "Constant", OutDataTypeStr="int8"),
        block("b", "Constant", OutDataTypeStr="uint16"),
    ]
    lines = ("a -> sum:1", "b -> sum:2", "sum -> t")
    strict = block("sum", "Sum", Inputs="++", InputSameDT="on")
    assert codes(model([*ends, strict, block("t", "Terminator")], *lines)) == ["SLX332"]
    assert codes(model([*ends, SUM, block("t", "Terminator")], *lines)) == []


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (block("k", "UnitDelay", SampleTime="0.1"), ["SLX333"]),
        (block("k", "UnitDelay", SampleTime="1/100"), ["SLX333"]),
        (block("k", "UnitDelay", SampleTime="-1"), []),
        (block("k", "UnitDelay", SampleTime="inf"), []),
        (block("k", "UnitDelay", SampleTime="Ts"), []),
        (block("k", "Integrator"), ["SLX333"]),
    ],
)
def test_block_in_triggered_subsystem_inherits_rate(
    inside: dict[str, object], expected: list[str]
) -> None:
    """A block in a triggered subsystem runs when its subsystem does."""
    inner = system(
        [block("p", "TriggerPort"), block("i", "Inport"), inside, block("o", "Outport")],
        "i -> k",
        "k -> o",
    )
    sub = block("sub", "SubSystem", inner)
    assert codes(model([ONE, sub], "one -> sub, sub.trigger1")) == expected


def test_a_bus_has_what_is_selected() -> None:
    """A selection is compared with the names that all inputs of the creator are known to have."""
    two = block("two", "Constant")
    bus = block("bus", "BusCreator", Inputs="2")
    for wanted, items in (("left", []), ("signal2", []), ("middle", ["SLX330"])):
        pick = block("pick", "BusSelector", OutputSignals=wanted)
        document = model(
            [ONE, two, bus, pick, block("t", "Terminator")],
            "one -> bus:1",
            "two -> bus:2",
            "bus -> pick",
            "pick -> t",
        )
        document["system"]["lines"][0]["name"] = "left"
        assert codes(document) == items


def test_a_bus_with_a_signal_of_unknown_name_is_not_judged() -> None:
    """An input from a link may bear any name."""
    link = block("two", "", source="my_library/Sensor")
    bus, pick = (
        block("bus", "BusCreator", Inputs="2"),
        block("pick", "BusSelector", OutputSignals="x"),
    )
    document = model([ONE, link, bus, pick], "one -> bus:1", "two -> bus:2", "bus -> pick")
    assert "SLX330" not in codes(document)


@pytest.mark.parametrize(
    ("expression", "block_"),
    [
        ("u(1)*u(2)", "Product"),
        ("sin(u)", "Trigonometric Function"),
        ("2*u", "Gain"),
        ("u^3+1", ""),
    ],
)
def test_an_expression_that_is_a_block_is_advice(expression: str, block_: str) -> None:
    """An Fcn block that does the work of one block is reported."""
    two = block("two", "Constant", Value="[1 2]")
    document = model(
        [two, block("f", "Fcn", Expr=expression), block("t", "Terminator")], "two -> f", "f -> t"
    )
    diagnostics = check_model(document)
    assert [d.alternatives[0].split("/")[-1] for d in diagnostics] == ([block_] if block_ else [])


def test_four_gates_are_one() -> None:
    """AND, NOT and OR wired as an exclusive or are reported, and a negated gate too."""
    logic = [
        block("na", "Logic", Operator="NOT"),
        block("nb", "Logic", Operator="NOT"),
        block("l", "Logic", Operator="AND"),
        block("r", "Logic", Operator="AND"),
        block("or", "Logic", Operator="OR"),
    ]
    document = model(
        [block("a", "Constant"), block("b", "Constant"), *logic, block("t", "Terminator")],
        "a -> na, l:1",
        "b -> nb, r:1",
        "na -> r:2",
        "nb -> l:2",
        "l -> or:1",
        "r -> or:2",
        "or -> t",
    )
    assert [d.message.split()[-1] for d in check_model(document)] == ["XOR"]
