"""What Simulink itself writes and takes, which is never wrong, beside its like that is."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.simulink.reading.model import open_model
from grounded_builder.pipeline import judge
from grounded_builder.setting import Setting
from tests.support.simulink import simulink_registry
from tests.support.simulink_models import Model, block, model, system


def wrong(document: Model, layout: str = "slx") -> list[str]:
    """The codes of the errors in a file."""
    said = judge(document | {"layout": layout}, SIMULINK, simulink_registry(), Setting())
    return [one.code for one in said.diagnostics if one.rule.kind == "wrong"]


def one(kind: str, **given: Any) -> Model:
    """A model of one block."""
    return model([block("b", kind, **given)])


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("ComplexToRealImag", {"Output": "RealAndImag"}, []),
        ("Product", {"Multiplication": "Element-wise(*)"}, []),
        ("ToWorkspace", {"SaveFormat": "StructureWithTime"}, []),
        ("ToWorkspace", {"SaveFormat": "Structrue"}, ["GB305"]),
        ("Lookup_n-D", {"interpMethod": "Linear"}, []),
        ("Lookup_n-D", {"InterpMethdo": "Linear"}, ["GB302"]),
        ("SubSystem", {"Variants": "3"}, []),
        ("MATLABSystem", {"SampleTimes": "3"}, []),
    ],
)
def test_words_of_other_releases_are_not_wrong(
    kind: str, given: dict[str, Any], expected: list[str]
) -> None:
    """Case and marks differ between releases; a slip in the letters does not."""
    assert wrong(one(kind, **given)) == expected


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("Math", {"Operator": "2^u"}),
        ("Math", {"Operator": "1/sqrt"}),
        ("RelationalOperator", {"Operator": "!="}),
        ("Trigonometry", {"ApproximationMethod": "Lookup"}),
        ("Sqrt", {"IntermediateResultsDataTypeStr": "fixdt(1,32,10)"}),
        ("Interpolation_n-D", {"NumberOfTableDimensions": "5"}),
        ("UnitDelay", {"StateStorageClass": "Model default"}),
        ("TriggerPort", {"TriggerType": "message"}),
    ],
)
def test_options_that_came_or_went_with_a_release_are_options(
    kind: str, given: dict[str, str]
) -> None:
    """What some release takes is wrong in no file."""
    assert wrong(one(kind, **given)) == []


@pytest.mark.parametrize(
    ("source", "name", "value"),
    [
        ("simulink/Sources/Enumerated Constant", "Value", "Mode.Idle"),
        ("simulink/Discrete/Unit Delay", "StateStorageClass", "Model default"),
        ("simulink/Math Operations/Sqrt", "IntermediateResultsDataTypeStr", "fixdt(1,32,10)"),
        ("simulink/Math Operations/Math Function", "Operator", "2^u"),
        (
            "simulink/Ports & Subsystems/Atomic Subsystem",
            "FunctionInterfaceSpec",
            "Allow arguments (Optimized)",
        ),
    ],
)
def test_a_draft_may_take_what_a_list_cannot_hold(source: str, name: str, value: str) -> None:
    """Members of enumerations, storage classes and types are no closed lists."""
    made = block("b", "", source=source) | {"parameters": {name: value}}
    assert wrong(model([made]), "plan") == []


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (block("b", "Integrator", LimitOutput="true"), ["GB305"]),
        (block("b", "", source="simulink/Continuous/Integrator", LimitOutput="yes"), ["GB305"]),
        (block("b", "", source="nesl_utility/Solver Configuration", DoDC="sometimes"), []),
        (block("b", "", source="sps_lib/Power Electronics/Diode", Measurements="Voltage"), []),
    ],
)
def test_a_switch_that_no_document_tells_may_be_a_menu(made: Model, expected: list[str]) -> None:
    """Files showed on and off of it, which need not be all; what is documented is on or off."""
    assert wrong(model([made])) == expected


def test_a_mask_owns_its_parameters() -> None:
    """A parameter that the mask of a block declares is no parameter of the block's type."""
    own = block("b", "TransportDelay", DelayTime="-5")
    assert wrong(model([own])) == ["GB307"]
    own["mask"] = {"type": "", "parameters": {"DelayTime": "-5"}}
    assert wrong(model([own])) == []


@pytest.mark.parametrize("state", ["on", "through", "off"])
def test_what_is_commented_out_is_not_evaluated(state: str) -> None:
    """Values of blocks that are commented out, and of what lies in them, are left alone."""
    inner = system([block("gain", "Gain", Gain="[1 2")])
    sub = block("sub", "SubSystem", inner) | {"properties": {"Commented": state}}
    assert wrong(model([sub])) == (["SLX335"] if state == "off" else [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5,", []),
        ("own(1 ...don't (\n, 2)", []),
        ("%{\nnot ( closed\n%}\nown(5)", []),
        ("own(x) '", []),
        ("[own(1) ']' 2]", []),
        ("[own(1) '", ["SLX335"]),
        ("own(1", ["SLX335"]),
        ("2..5.", ["SLX335"]),
    ],
)
def test_comments_and_transposes_are_expressions(text: str, expected: list[str]) -> None:
    """A comment may hold anything, and a quote behind a value transposes it."""
    assert wrong(one("Constant", Value=text)) == expected


@pytest.mark.parametrize("layout", ["slx", "plan"])
@pytest.mark.parametrize("name", ["run v1.2.3.mat", "data/run.mat", "it's (one.mat"])
def test_names_of_files_are_taken_as_they_are(name: str, layout: str) -> None:
    """The name of a file is no expression."""
    assert wrong(one("ToFile", Filename=name), layout) == []


def test_an_expression_picks_from_its_input_by_either_bracket() -> None:
    """A block that evaluates an expression takes elements of its input as C writes them too."""
    assert wrong(one("Fcn", Expr="sin(u(1))*exp(-u[2])"), "plan") == []
    assert wrong(one("Fcn", Expr="sin(v[1])"), "plan") == ["SLX301"]


def test_a_rate_may_be_limited_to_rise() -> None:
    """Both limits of a rate may be of one sign."""
    assert wrong(one("RateLimiter", RisingSlewLimit="2", FallingSlewLimit="1")) == []


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("Sinc", []), ("Sort", []), ("Gian", ["GB203"]), ("Satuarte", ["GB203"])],
)
def test_short_types_are_words_of_their_own(kind: str, expected: list[str]) -> None:
    """A letter more or another one makes another short name; two that changed places do not."""
    assert wrong(one(kind)) == expected


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
    assert wrong(_bus(block("bus", "BusCreator", **given))) == expected


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
    assert wrong(bus) == ([] if typed else ["SLX330"])


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
    """Only blocks that make new signals are known to leave a name behind."""
    select = block("select", "BusSelector", OutputSignals="speed")
    bus = block("bus", "BusCreator", Inputs="1")
    document = model(
        [block("a", "Constant"), block("by", kind), bus, select],
        "a -> by",
        "by -> bus",
        "bus -> select",
    )
    document["system"]["lines"][0]["name"] = "speed"
    assert wrong(document) == expected


@pytest.mark.parametrize(("kind", "expected"), [("library", []), ("model", ["SLX329", "SLX327"])])
def test_blocks_on_a_shelf_stand_alone(kind: str, expected: list[str]) -> None:
    """The outermost blocks of a library are copied one by one, and do not meet."""
    blocks = [block(name, "Goto", GotoTag="A") for name in ("one", "two")]
    blocks += [block(name, "TriggerPort") for name in ("rise", "fall")]
    assert sorted(wrong(model(blocks, kind=kind))) == sorted(expected)


def test_branches_of_a_variant_do_not_meet() -> None:
    """Of the blocks behind a variant one is there at a time: they may write one tag."""
    gotos = [block(name, "Goto", GotoTag="A") for name in ("one", "two")]
    sink = block("sink", "VariantSink") | {"ports": {"in": 1, "out": 2}}
    document = model(
        [block("a", "Constant"), sink, *gotos], "a -> sink", "sink:1 -> one", "sink:2 -> two"
    )
    assert wrong(document) == []


def test_parts_of_a_bus_share_a_number() -> None:
    """Port blocks that stand for parts of a bus share its number, however each is marked."""
    marked = block("a", "Inport", Port="1", IsBusElementPort="on")
    named = block("b", "Inport", Port="1") | {"element": {"bus": "In", "path": "b"}}
    assert wrong(model([marked, named])) == []
    assert wrong(model([marked, block("b", "Inport", Port="1")])) == ["SLX327"]


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
    """What runs before the model may set what a file writes otherwise."""
    document: dict[str, Any] = one("Saturate", **CROSSED) | {"settings": settings}
    document["system"]["blocks"][0]["properties"] = properties
    assert wrong(document) == expected


def test_callbacks_may_set_the_step() -> None:
    """The step of a solver is open where a callback sets it."""
    steps = {"Solver": "FixedStepDiscrete", "FixedStep": "0.001"}
    document = one("UnitDelay", SampleTime="0.0015") | {"settings": steps}
    assert wrong(document) == ["SLX341"]
    steps["PreLoadFcn"] = "set_param(bdroot,'FixedStep','0.0005')"
    assert wrong(document) == []


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
    assert wrong(one(kind, **given)) == []


@pytest.mark.parametrize(("kind", "expected"), [("triggered", ["SLX333"]), ("Periodic", [])])
def test_a_periodic_call_has_a_rate(kind: str, expected: list[str]) -> None:
    """Blocks that are called periodically may state their period, however the word is written."""
    calls = block("calls", "TriggerPort", TriggerType="function-call", SampleTimeType=kind)
    inner = system([calls, block("delay", "UnitDelay", SampleTime="0.1")])
    assert wrong(model([block("sub", "SubSystem", inner)])) == expected


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
    assert wrong(model(blocks, "a -> g") | {"settings": tasks}) == expected


def test_a_network_may_be_solved_outside() -> None:
    """A connection port of the outermost diagram leads to what may solve its network."""
    parts = "fl_lib/Electrical/Electrical Elements/"
    blocks = [
        block("r", "x", source=parts + "Resistor"),
        block("ground", "x", source=parts + "Electrical Reference"),
    ]
    assert wrong(model(blocks, "r.rconn1 -- ground.lconn1, r.lconn1")) == ["SLX324"]
    blocks.append(block("port", "PMIOPort", Port="1", Side="Left"))
    assert wrong(model(blocks, "r.rconn1 -- ground.lconn1, r.lconn1, port.rconn1")) == []


@pytest.mark.parametrize("head", ["", "# saved\n"])
def test_a_mark_of_byte_order_begins_a_text(head: str) -> None:
    """Editors put a mark before the text of a model; it is no part of it."""
    text = head + 'Model {\n  Name "f"\n  System {\n    Name "f"\n  }\n}\n'
    read, said = open_model(text.encode("utf-8-sig"), "f")
    assert read is not None
    assert not said


def test_a_row_is_a_vector_where_a_gain_asks_for_one() -> None:
    """A gain that takes vectors takes a row like a column."""
    row = block("row", "Constant", Value="[1 2]", VectorParams1D="off")
    gain = block("gain", "Gain", Gain="eye(2)", Multiplication="Matrix(K*u) (u vector)")
    assert wrong(model([row, gain], "row -> gain")) == []
    gain["parameters"]["Multiplication"] = "Matrix(K*u)"
    assert wrong(model([row, gain], "row -> gain")) == ["SLX339"]


def test_a_mask_may_call_a_parameter_like_a_constant() -> None:
    """Inside of a mask its parameters come before MATLAB's own names."""
    inner = system([block("b", "Saturate", UpperLimit="eps", LowerLimit="1")])
    sub = block("sub", "SubSystem", inner)
    assert wrong(model([sub])) == ["SLX338"]
    sub["mask"] = {"type": "", "parameters": {"eps": "2"}}
    assert wrong(model([sub])) == []
