"""Types at arithmetic and bitwise blocks, bus selections, and pairs of gates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_models import block, codes, model

BITS = block("b", "", source="simulink/Logic and Bit Operations/Bitwise Operator")
ONE = block("one", "Constant")
TWO = block("two", "Constant")


def test_a_text_is_not_multiplied() -> None:
    """A text is refused by arithmetic, through tags too, and taken by what reads texts."""
    text = block("s", "StringConstant")
    assert "SLX340" in codes(model([text, block("g", "Gain")], "s -> g"))
    far = [block("to", "Goto", GotoTag="x"), block("fr", "From", GotoTag="x"), block("g", "Sum")]
    assert "SLX340" in codes(model([text, *far], "s -> to", "fr -> g:2"))
    assert "SLX340" not in codes(model([text, block("n", "StringLength")], "s -> n"))


@pytest.mark.parametrize(
    ("kind", "wrong"), [("double", True), ("single", True), ("uint8", False), ("", False)]
)
def test_bits_are_those_of_integers(kind: str, wrong: bool) -> None:
    """Bit operations on floating-point numbers are reported; unknown types are not."""
    given: dict[str, Any] = {"OutDataTypeStr": kind} if kind else {}
    source = block("u", "Constant", Value="k", **given)
    assert ("SLX340" in codes(model([source, BITS], "u -> b"))) == wrong


@pytest.mark.parametrize(
    ("kind", "names", "wrong"),
    [
        ("Gain", "speed,torque", True),
        ("Gain", "signal1", False),
        ("Mux", "speed", False),
        ("UnitDelay", "speed", False),
    ],
)
def test_a_plain_signal_has_no_parts(kind: str, names: str, wrong: bool) -> None:
    """Names are asked of a bus; a block that may pass one on is left open."""
    pick = block("p", "BusSelector", OutputSignals=names)
    made = model([ONE, block("g", kind), pick], "one -> g", "g -> p")
    assert ("SLX330" in codes(made)) == wrong


def test_a_signal_bears_its_own_name() -> None:
    """The name of a line is one that may be asked for."""
    made = model(
        [ONE, block("g", "Gain"), block("p", "BusSelector", OutputSignals="v")],
        "one -> g",
        "g -> p",
    )
    made["system"]["lines"][1]["name"] = "v"
    assert "SLX330" not in codes(made)


def test_bus_assignment_needs_existing_signal() -> None:
    """A bus assignment replaces a signal by a name that the bus has."""
    bus = [ONE, TWO, block("bus", "BusCreator", Inputs="'x','y'")]
    for name, wrong in (("x", False), ("z", True)):
        set_ = block("a", "BusAssignment", AssignedSignals=name)
        made = model([*bus, set_], "one -> bus:1", "two -> bus:2, a:2", "bus -> a")
        assert ("SLX330" in codes(made)) is wrong


@pytest.mark.parametrize(
    ("last", "first", "second", "is_replaceable"),
    [
        ("AND", "OR", "NAND", True),
        ("OR", "NOR", "AND", True),
        ("AND", "OR", "NOR", False),
        ("OR", "OR", "NAND", False),
    ],
)
def test_two_gates_over_the_same_signals_are_one(
    last: str, first: str, second: str, is_replaceable: bool
) -> None:
    """An exclusive or of three gates is reported, and its negation."""
    gates = [block(n, "Logic", Operator=o) for n, o in (("a", first), ("b", second), ("c", last))]
    sink = block("t", "Terminator")
    lines = ("one -> a:1, b:2", "two -> a:2, b:1", "a -> c:1", "b -> c:2", "c -> t")
    assert ("SLX337" in codes(model([ONE, TWO, *gates, sink], *lines))) == is_replaceable
