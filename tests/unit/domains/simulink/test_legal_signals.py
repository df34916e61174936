"""Signals, buses, rates and networks that Simulink takes, beside their like that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.simulink.read.model import open_model
from tests.support.simulink_findings import list_errors, make_one_block_model
from tests.support.simulink_models import Model, block, model, system


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"Inputs": "2"}, ["SLX330"]),
        ({"Inputs": "2", "OutDataTypeStr": "Bus: Own", "NonVirtualBus": "on"}, []),
        ({"Inputs": "2", "OutDataTypeStr": "Inherit: auto"}, ["SLX330"]),
    ],
)
def test_a_bus_object_names_the_signals(given: dict[str, Any], expected: list[str]) -> None:
    """A bus has the names of its bus object, whatever its lines are called."""
    assert list_errors(_bus(block("bus", "BusCreator", **given))) == expected


@pytest.mark.parametrize("side", ["Inport", "Outport"])
@pytest.mark.parametrize("typed", [True, False])
def test_a_port_may_name_the_signals(side: str, *, typed: bool) -> None:
    """A bus takes the names of a bus object at a port that asks for it."""
    given: dict[str, Any] = {"OutDataTypeStr": "Bus: Own"} if typed else {}
    ports = [block(name, name, **(given if name == side else {})) for name in ("Inport", "Outport")]
    sub = block("sub", "SubSystem", system(ports, "Inport -> Outport"))
    bus = _bus(block("bus", "BusCreator", Inputs="2"))
    bus["system"]["blocks"].append(sub)
    bus["system"]["lines"][2:] = system([], "bus -> sub", "sub -> select")["lines"]
    assert list_errors(bus) == ([] if typed else ["SLX330"])


def _bus(creator: Model) -> Model:
    """A bus of two signals without names, of which another one is selected."""
    select = block("select", "BusSelector", OutputSignals="x")
    return model(
        [block("a", "Constant"), block("c", "Constant"), creator, select],
        "a -> bus:1",
        "c -> bus:2",
        "bus -> select",
    )


@pytest.mark.parametrize(
    ("kind", "expected"), [("Gain", ["SLX330"]), ("Merge", []), ("Assignment", [])]
)
def test_a_name_may_be_passed_on(kind: str, expected: list[str]) -> None:
    """Only blocks that create new signals are known to drop a name."""
    select = block("select", "BusSelector", OutputSignals="speed")
    bus = block("bus", "BusCreator", Inputs="1")
    document = model(
        [block("a", "Constant"), block("by", kind), bus, select],
        "a -> by",
        "by -> bus",
        "bus -> select",
    )
    document["system"]["lines"][0]["name"] = "speed"
    assert list_errors(document) == expected


@pytest.mark.parametrize(("kind", "expected"), [("library", []), ("model", ["SLX329", "SLX327"])])
def test_blocks_on_a_shelf_stand_alone(kind: str, expected: list[str]) -> None:
    """The outermost blocks of a library are copied one by one, and do not meet."""
    blocks = [block(name, "Goto", GotoTag="A") for name in ("one", "two")]
    blocks += [block(name, "TriggerPort") for name in ("rise", "fall")]
    assert sorted(list_errors(model(blocks, kind=kind))) == sorted(expected)


def test_branches_of_a_variant_do_not_meet() -> None:
    """The branches of a variant may write one tag, because only one is active."""
    gotos = [block(name, "Goto", GotoTag="A") for name in ("one", "two")]
    sink = block("sink", "VariantSink") | {"ports": {"in": 1, "out": 2}}
    document = model(
        [block("a", "Constant"), sink, *gotos], "a -> sink", "sink:1 -> one", "sink:2 -> two"
    )
    assert list_errors(document) == []


def test_parts_of_a_bus_share_a_number() -> None:
    """Port blocks that stand for parts of a bus share its number, however each is marked."""
    marked = block("a", "Inport", Port="1", IsBusElementPort="on")
    named = block("b", "Inport", Port="1") | {"element": {"bus": "In", "path": "b"}}
    assert list_errors(model([marked, named])) == []
    assert list_errors(model([marked, block("b", "Inport", Port="1")])) == ["SLX327"]


CROSSED = {"UpperLimit": "-1", "LowerLimit": "1"}


@pytest.mark.parametrize(
    ("settings", "properties", "expected"),
    [
        ({}, {}, ["SLX338"]),
        ({"InitFcn": "set_param('own/b','UpperLimit','5')"}, {}, []),
        ({"InitFcn": "set_param(gcs,name,value)"}, {}, []),
        ({"InitFcn": "set_param('own','StopTime','5')"}, {}, ["SLX338"]),
        ({}, {"InitFcn": "set_param(gcb,'UpperLimit','5')"}, []),
        ({}, {"OpenFcn": "set_param(gcb,'UpperLimit','5')"}, ["SLX338"]),
    ],
)
def test_callbacks_may_set_values(
    settings: dict[str, str], properties: dict[str, str], expected: list[str]
) -> None:
    """Code that runs before the model may change values of the file."""
    document: dict[str, Any] = make_one_block_model("Saturate", **CROSSED) | {"settings": settings}
    document["system"]["blocks"][0]["properties"] = properties
    assert list_errors(document) == expected


def test_callbacks_may_set_the_step() -> None:
    """The step of a solver is open where a callback sets it."""
    steps = {"Solver": "FixedStepDiscrete", "FixedStep": "0.001"}
    document = make_one_block_model("UnitDelay", SampleTime="0.0015") | {"settings": steps}
    assert list_errors(document) == ["SLX341"]
    steps["PreLoadFcn"] = "set_param(bdroot,'FixedStep','0.0005')"
    assert list_errors(document) == []


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("TransferFcn", {"Numerator": "[1;2;3]", "Denominator": "[1 1]"}),
        ("DiscreteTransferFcn", {"Numerator": "[1 2 3]'", "Denominator": "[1 0.5]"}),
        ("Lookup", {"Table": "[1 2 3]"}),
    ],
)
def test_a_column_is_an_output_a_row(kind: str, given: dict[str, str]) -> None:
    """A column of numerators is of order 0, and a default is not held against what is written."""
    assert list_errors(make_one_block_model(kind, **given)) == []


@pytest.mark.parametrize(("kind", "expected"), [("triggered", ["SLX333"]), ("Periodic", [])])
def test_a_periodic_call_has_a_rate(kind: str, expected: list[str]) -> None:
    """Blocks that are called periodically may state their period, however the word is written."""
    calls = block("calls", "TriggerPort", TriggerType="function-call", SampleTimeType=kind)
    inner = system([calls, block("delay", "UnitDelay", SampleTime="0.1")])
    assert list_errors(model([block("sub", "SubSystem", inner)])) == expected


@pytest.mark.parametrize(("source", "expected"), [("Constant", []), ("UnitDelay", ["SLX342"])])
def test_a_constant_has_no_rate_to_change(source: str, expected: list[str]) -> None:
    """The value of a constant is the same in every task."""
    tasks = {
        "Solver": "FixedStepDiscrete",
        "FixedStep": "0.1",
        "EnableMultiTasking": "on",
        "AutoInsertRateTranBlk": "off",
        "MultiTaskRateTransMsg": "error",
    }
    blocks = [block("a", source, SampleTime="0.1"), block("g", "Gain", SampleTime="0.2")]
    assert list_errors(model(blocks, "a -> g") | {"settings": tasks}) == expected


def test_a_network_may_be_solved_outside() -> None:
    """A connection port of the outermost diagram leads to what may solve its network."""
    parts = "fl_lib/Electrical/Electrical Elements/"
    blocks = [
        block("r", "x", source=parts + "Resistor"),
        block("ground", "x", source=parts + "Electrical Reference"),
    ]
    assert list_errors(model(blocks, "r.rconn1 -- ground.lconn1, r.lconn1")) == ["SLX324"]
    blocks.append(block("port", "PMIOPort", Port="1", Side="Left"))
    assert list_errors(model(blocks, "r.rconn1 -- ground.lconn1, r.lconn1, port.rconn1")) == []


@pytest.mark.parametrize("head", ["", "# saved\n"])
def test_a_mark_of_byte_order_begins_a_text(head: str) -> None:
    """Editors put a mark before the text of a model; it is no part of it."""
    text = head + 'Model {\n  Name "f"\n  System {\n    Name "f"\n  }\n}\n'
    read, diagnostics = open_model(text.encode("utf-8-sig"), "f")
    assert read is not None
    assert not diagnostics


def test_a_row_is_a_vector_where_a_gain_asks_for_one() -> None:
    """A gain that takes vectors takes a row like a column."""
    row = block("row", "Constant", Value="[1 2]", VectorParams1D="off")
    gain = block("gain", "Gain", Gain="eye(2)", Multiplication="Matrix(K*u) (u vector)")
    assert list_errors(model([row, gain], "row -> gain")) == []
    gain["parameters"]["Multiplication"] = "Matrix(K*u)"
    assert list_errors(model([row, gain], "row -> gain")) == ["SLX339"]
