"""Types, dimensions and sample times are carried forward as far as they are proven."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grounded_builder.domains.simulink.checks.flow import Flow
from grounded_builder.domains.simulink.checks.propagation import Rate, Signal, carry
from grounded_builder.domains.simulink.checks.propagation.signal import CONSTANT, CONTINUOUS
from grounded_builder.domains.simulink.checks.view import view
from tests.support.simulink_models import block, checked, model, resolved, system

Named = dict[tuple[str, int], Signal]


def _signals(document: Mapping[str, Any]) -> Named:
    """What is known of each output, by the name of its block."""
    carried = carry(Flow(view(resolved(document)))).known
    return {(item.name, index): one for (item, index), one in carried.items()}


def _behind(kind: str, *values: str, **parameters: Any) -> Named:
    """The signals of a block that constants of these values feed."""
    sources = [block(f"c{n}", "Constant", Value=value) for n, value in enumerate(values, 1)]
    lines = [f"c{n} -> b:{n}" for n in range(1, len(values) + 1)]
    return _signals(model([*sources, block("b", kind, **parameters)], *lines))


@pytest.mark.parametrize(
    ("kind", "values", "parameters", "shapes"),
    [
        ("Gain", ["[1 2]"], {}, [(2,)]),
        ("Gain", ["1"], {"Gain": "[1 2 3]"}, [(3,)]),
        ("Gain", ["[1 2]"], {"Gain": "K"}, []),
        ("Gain", ["[1 2]"], {"Gain": "ones(3,2)", "Multiplication": "Matrix(K*u)"}, [(3,)]),
        ("Gain", ["ones(2,4)"], {"Gain": "ones(3,2)", "Multiplication": "Matrix(K*u)"}, [(3, 4)]),
        ("Sum", ["1", "[1 2 3]"], {"Inputs": "++"}, [(3,)]),
        ("Sum", ["x", "[1 2 3]"], {"Inputs": "++"}, []),
        ("Sum", ["[1 2 3]"], {"Inputs": "+"}, [(1,)]),
        ("Product", ["ones(2,3)", "ones(3,4)"], {"Multiplication": "Matrix(*)"}, [(2, 4)]),
        ("MinMax", ["[1 2]", "3"], {"Inputs": "2"}, [(2,)]),
        ("Mux", ["[1 2]", "3", "[4 5]"], {"Inputs": "3"}, [(5,)]),
        ("Mux", ["[1 2]", "v"], {"Inputs": "2"}, []),
        ("Mux", ["[1 2]", "v"], {"Inputs": "[2 3]"}, [(5,)]),
        ("Demux", ["[1 2 3 4 5]"], {"Outputs": "3"}, [(2,), (2,), (1,)]),
        ("Demux", ["v"], {"Outputs": "[1 4]"}, [(1,), (4,)]),
        ("Demux", ["v"], {"Outputs": "2"}, []),
        ("Switch", ["[1 2]", "1", "0"], {}, [(2,)]),
        ("Switch", ["[1 2]", "v", "0"], {}, []),
        ("MultiPortSwitch", ["1", "[1 2]", "[3 4]"], {"Inputs": "2"}, [(2,)]),
        ("Merge", ["[1 2]", "[3 4]"], {}, [(2,)]),
        (
            "Selector",
            ["[1 2 3]"],
            {"IndexOptions": "Index vector (dialog)", "Indices": "[1 3]", "OutputSizes": "1"},
            [(2,)],
        ),
        (
            "Selector",
            ["[1 2 3]"],
            {"IndexOptions": "Index vector (dialog)", "Indices": "n", "OutputSizes": "1"},
            [],
        ),
        (
            "Selector",
            ["ones(3,4)"],
            {
                "NumberOfDimensions": "2",
                "IndexOptions": "Select all,Starting index (dialog)",
                "Indices": "[1],[2]",
                "OutputSizes": "1,2",
            },
            [(3, 2)],
        ),
        ("Reshape", ["ones(2,3)"], {}, [(6,)]),
        ("Reshape", ["[1 2]"], {"OutputDimensionality": "Column vector (2-D)"}, [(2, 1)]),
        (
            "Reshape",
            ["v"],
            {"OutputDimensionality": "Customize", "OutputDimensions": "[2,3]"},
            [(2, 3)],
        ),
        ("Concatenate", ["[1 2]", "3"], {}, [(3,)]),
        (
            "Concatenate",
            ["ones(2,2)", "ones(2,3)"],
            {"Mode": "Multidimensional array", "ConcatenateDimension": "2"},
            [(2, 5)],
        ),
        ("Math", ["ones(2,3)"], {"Operator": "transpose"}, [(3, 2)]),
        ("DotProduct", ["[1 2]", "[3 4]"], {}, [(1,)]),
        ("RelationalOperator", ["[1 2]", "0"], {}, [(2,)]),
        ("Integrator", ["1"], {"InitialCondition": "[0 0]"}, [(2,), None]),
        ("UnitDelay", ["[1 2]"], {"InitialCondition": "x0"}, []),
        ("StateSpace", ["v"], {"A": "A", "B": "B", "C": "ones(2,3)", "D": "D"}, [(2,)]),
        ("TransferFcn", ["1"], {"Numerator": "[1]", "Denominator": "[1 1]"}, [(1,)]),
    ],
)
def test_dimensions(
    kind: str, values: list[str], parameters: dict[str, str], shapes: list[tuple[int, ...] | None]
) -> None:
    """Each block makes dimensions of those that arrive; what a variable decides stays unknown."""
    found = _behind(kind, *values, **parameters)
    seen = {index: one.shape for (name, index), one in found.items() if name == "b" and one.shape}
    assert seen == {index: shape for index, shape in enumerate(shapes, 1) if shape is not None}


_RULE = "Inherit: Inherit via internal rule"


@pytest.mark.parametrize(
    ("kind", "value", "parameters", "type_"),
    [
        ("Gain", "2", {}, "double"),
        ("Gain", "true", {}, "boolean"),
        ("Gain", "v", {}, None),
        ("Gain", "int8(3)", {}, None),
        ("DataTypeConversion", "v", {"OutDataTypeStr": "int16"}, "int16"),
        ("DataTypeConversion", "2", {"OutDataTypeStr": "fixdt(1,16,2)"}, None),
        ("UnitDelay", "true", {}, "boolean"),
        ("Integrator", "v", {}, "double"),
        ("RelationalOperator", "v", {"OutDataTypeStr": "boolean"}, "boolean"),
        ("RelationalOperator", "v", {}, None),
        ("Sum", "2", {"Inputs": "+", "OutDataTypeStr": _RULE}, "double"),
        ("Sum", "true", {"Inputs": "+", "OutDataTypeStr": _RULE}, None),
        ("Sum", "2", {"Inputs": "+", "OutDataTypeMode": "Specify via dialog"}, None),
    ],
)
def test_types(kind: str, value: str, parameters: dict[str, Any], type_: str | None) -> None:
    """A type is what the block names, or what it inherits from a type that is known."""
    assert _behind(kind, value, **parameters).get(("b", 1), Signal()).type == type_


def test_logical_signals_are_what_the_model_makes_of_them() -> None:
    """A comparison is boolean or double as the settings of the model say."""
    document = model([block("c", "Constant"), block("b", "Logic", Operator="NOT")], "c -> b")
    for said, type_ in (("on", "boolean"), ("off", "double")):
        known = _signals(document | {"settings": {"BooleanDataType": said}})
        assert known["b", 1].type == type_


def test_a_model_that_overrides_types_keeps_only_logical_ones() -> None:
    """Numbers of a model whose types are overridden are of no type that is known."""
    blocks = [block("c", "Constant"), block("t", "Constant", Value="true"), block("k", "Gain")]
    known = _signals(model(blocks, "c -> k") | {"settings": {"DataTypeOverride": "Double"}})
    assert known["k", 1].type is None
    assert known["t", 1].type == "boolean"


@pytest.mark.parametrize(
    ("first", "second", "rate"),
    [
        ("0.1", "0.1", Rate(0.1)),
        ("0.1", "0.3", Rate(0.1)),
        ("0.2", "0.3", None),
        ("0", "0", CONTINUOUS),
        ("0.1", "0", None),
        ("inf", "0.1", Rate(0.1)),
        ("inf", "inf", CONSTANT),
        ("Ts", "0.1", None),
        ("-1", "0.1", None),
        ("[0.1 0.05]", "[0.1 0.05]", Rate(0.1, 0.05)),
    ],
)
def test_rates(first: str, second: str, rate: Rate | None) -> None:
    """A block inherits one rate of all its inputs, or the fastest of which others are multiples."""
    blocks = [
        block("x", "Sin", SampleTime=first),
        block("y", "Sin", SampleTime=second),
        block("b", "Sum", Inputs="++"),
    ]
    known = _signals(model(blocks, "x -> b:1", "y -> b:2"))
    assert known.get(("b", 1), Signal()).rate == rate


def test_a_constant_stands_still() -> None:
    """A constant whose sample time is left out is constant, and so is what is made of it alone."""
    blocks = [block("c", "Constant"), block("k", "Gain"), block("x", "Sin", SampleTime="0.1")]
    total = block("b", "Sum", Inputs="++")
    known = _signals(model([*blocks, total], "c -> k", "k -> b:1", "x -> b:2"))
    assert known["k", 1].rate == CONSTANT
    assert known["b", 1].rate == Rate(0.1)


def test_what_runs_when_it_is_told_has_no_rate_that_is_known() -> None:
    """Inside of an enabled subsystem, and behind it, no sample time is known."""
    inner = system(
        [block("e", "EnablePort"), block("i", "Inport"), block("k", "Gain"), block("o", "Outport")],
        "i -> k",
        "k -> o",
    )
    blocks = [
        block("x", "Sin", SampleTime="0.1"),
        block("sub", "SubSystem", inner),
        block("b", "Gain"),
    ]
    known = _signals(model(blocks, "x -> sub, sub.enable1", "sub -> b"))
    assert known["x", 1].rate == Rate(0.1)
    assert known.get(("sub/k", 1), Signal()).rate is None
    assert known.get(("b", 1), Signal()).rate is None


def test_signals_go_through_borders_tags_and_buses() -> None:
    """Dimensions, types and rates arrive behind a subsystem, a tag and a bus as they left."""
    inner = system([block("i", "Inport"), block("o", "Outport")], "i -> o")
    blocks = [
        block("x", "Sin", Amplitude="[1 2 3]", SampleTime="0.1"),
        block("one", "Constant"),
        block("sub", "SubSystem", inner),
        block("g", "Goto", GotoTag="t"),
        block("f", "From", GotoTag="t"),
        block("bus", "BusCreator", Inputs="2"),
        block("pick", "BusSelector", OutputSignals="signal2"),
        block("k", "Gain"),
    ]
    known = _signals(
        model(
            blocks, "x -> sub", "sub -> g", "one -> bus:1", "f -> bus:2", "bus -> pick", "pick -> k"
        )
    )
    assert known["k", 1] == Signal((3,), "double", Rate(0.1))


def test_parts_of_a_signal_are_not_the_signal() -> None:
    """A subsystem that runs for each element sees other dimensions than stand outside."""
    inner = system(
        [block("each", "ForEach"), block("i", "Inport"), block("k", "Gain"), block("o", "Outport")],
        "i -> k",
        "k -> o",
    )
    blocks = [block("c", "Constant", Value="[1 2 3]"), block("sub", "SubSystem", inner)]
    known = _signals(model([*blocks, block("b", "Gain")], "c -> sub", "sub -> b"))
    assert known.get(("sub/k", 1), Signal()).shape is None
    assert known.get(("b", 1), Signal()).shape is None


def test_what_a_mask_sets_anew_is_not_known() -> None:
    """What the code of a mask sets, or may set, is not judged and not carried; the rest is."""
    inner = system(
        [block("c", "Constant", Value="[1 2]"), block("d", "Demux", Outputs="3")], "c -> d"
    )
    sub = block("sub", "SubSystem", inner)
    assert {one.code for one in checked(model([sub]))} >= {"SLX339"}
    for code, judged in (
        ("x = 1;", True),
        ("set_param([gcb '/s'], 'VariableName', 'y')", True),
        ("set_param([gcb '/d'], 'Outputs', '2')", False),
        ("set_param(gcb, name, '2')", False),
        ("delete_line(gcb, 'c/1', 'd/1')", False),
    ):
        sub["mask"] = {"type": "", "parameters": {}, "initialization": code}
        assert ("SLX339" in {one.code for one in checked(model([sub]))}) is judged
        assert (("sub/d", 1) in _signals(model([sub]))) is judged


def test_a_circle_ends() -> None:
    """In a circle what is certain is known: the type of an integrator, and its length by itself."""
    blocks = [
        block("c", "Constant", Value="[1 2]"),
        block("sum", "Sum", Inputs="++", OutDataTypeStr="double"),
        block("s", "StateSpace", A="eye(2)", B="eye(2)", C="eye(2)", D="zeros(2)"),
        block("z", "UnitDelay", SampleTime="0.1"),
    ]
    known = _signals(model(blocks, "c -> sum:1", "sum -> s", "s -> z", "z -> sum:2"))
    assert known["s", 1].shape == (2,)
    assert known["z", 1].shape == (2,)
    assert known["sum", 1].shape == (2,)
    assert known["z", 1].rate == Rate(0.1)


_KINDS: tuple[tuple[str, int, dict[str, list[str]]], ...] = (
    ("Constant", 0, {"Value": ["1", "[1 2]", "[1 2 3]", "ones(2,3)", "true", "v"]}),
    ("Sin", 0, {"Amplitude": ["1", "[1 2]"], "SampleTime": ["0", "0.1", "0.3", "Ts"]}),
    ("Gain", 1, {"Gain": ["2", "[1 2]", "ones(2,3)", "K"], "Multiplication": ["Matrix(K*u)"]}),
    ("Gain", 1, {"Gain": ["2", "[1 2 3]", "K"]}),
    ("UnitDelay", 1, {"InitialCondition": ["0", "[0 0]", "x0"], "SampleTime": ["-1", "0.1"]}),
    ("Integrator", 1, {"InitialCondition": ["0", "[0 0 0]", "x0"]}),
    ("Sum", 2, {"Inputs": ["++"], "InputSameDT": ["on", "off"]}),
    ("Product", 2, {"Inputs": ["2"], "Multiplication": ["Element-wise(.*)", "Matrix(*)"]}),
    ("Mux", 2, {"Inputs": ["2", "[1 2]"]}),
    ("Demux", 1, {"Outputs": ["2", "[1 2]", "n"]}),
    ("Switch", 3, {}),
    ("RelationalOperator", 2, {"InputSameDT": ["on"], "OutDataTypeStr": ["boolean", "int8"]}),
    ("Reshape", 1, {"OutputDimensionality": ["1-D array", "Column vector (2-D)"]}),
    ("DataTypeConversion", 1, {"OutDataTypeStr": ["double", "int16", "T"]}),
    ("StateSpace", 1, {"A": ["-1"], "B": ["1", "[1 2]", "B"], "C": ["1"], "D": ["0"]}),
    ("Selector", 1, {"IndexOptions": ["Index vector (dialog)"], "Indices": ["[1 2]", "3", "n"]}),
)
_DECIDES = ("Value", "Amplitude", "Gain", "InitialCondition", "B", "Indices", "SampleTime")


@st.composite
def _models(draw: st.DrawFn) -> dict[str, Any]:
    """Models of a few blocks, each input fed by any of them, circles included."""
    chosen = draw(st.lists(st.sampled_from(_KINDS), min_size=2, max_size=9))
    blocks, lines = [block("first", "Constant", Value="[1 2]")], []
    names = ["first", *(f"b{n}" for n in range(len(chosen)))]
    for name, (kind, inputs, options) in zip(names[1:], chosen, strict=True):
        picked: dict[str, Any] = {
            key: draw(st.sampled_from(values)) for key, values in options.items()
        }
        blocks.append(block(name, kind, **picked))
        lines += [
            f"{draw(st.sampled_from(names))} -> {name}:{port}" for port in range(1, inputs + 1)
        ]
    return model(blocks, *lines)


def _found(document: Mapping[str, Any]) -> set[tuple[str, str | None]]:
    """What is wrong, by code and block."""
    return {(one.code, one.node) for one in checked(document) if one.rule.kind == "wrong"}


@settings(max_examples=150, deadline=None)
@given(_models(), st.randoms(use_true_random=False))
def test_what_is_less_known_proves_nothing_more(
    document: dict[str, Any], chance: random.Random
) -> None:
    """With values put out of sight no signal is another and no finding is new."""
    hidden = {
        **document,
        "system": {
            **document["system"],
            "blocks": [
                {
                    **one,
                    "parameters": {
                        name: "unknown_" if name in _DECIDES and chance.random() < 0.4 else text
                        for name, text in one.get("parameters", {}).items()
                    },
                }
                for one in document["system"]["blocks"]
            ],
        },
    }
    before, after = _signals(document), _signals(hidden)
    for output, one in after.items():
        whole = before.get(output, Signal())
        for part in ("shape", "type", "rate"):
            assert getattr(one, part) in (None, getattr(whole, part)), (output, part)
    assert _found(hidden) <= _found(document)


@settings(max_examples=100, deadline=None)
@given(_models(), st.randoms(use_true_random=False))
def test_the_order_of_blocks_and_lines_makes_no_difference(
    document: dict[str, Any], chance: random.Random
) -> None:
    """A model written in another order has the same signals and the same findings."""
    blocks, lines = list(document["system"]["blocks"]), list(document["system"]["lines"])
    chance.shuffle(blocks)
    chance.shuffle(lines)
    other = {**document, "system": {"blocks": blocks, "lines": lines}}
    assert _signals(other) == _signals(document)
    assert _found(other) == _found(document)


@settings(max_examples=100, deadline=None)
@given(_models())
def test_element_by_element_nothing_follows_from_what_is_unknown(document: dict[str, Any]) -> None:
    """The dimensions behind a sum, a comparison or a delay are known only with all that arrive."""
    known = _signals(document)
    arriving: dict[str, list[tuple[str, int]]] = {}
    for line in document["system"]["lines"]:
        start = (line["from"]["block"], line["from"]["index"])
        arriving.setdefault(line["to"]["block"], []).append(start)
    for one in document["system"]["blocks"]:
        name = one["name"]
        if one["type"] not in ("Sum", "RelationalOperator", "UnitDelay", "DataTypeConversion"):
            continue
        if known.get((name, 1), Signal()).shape is not None:
            for source in arriving[name]:
                assert known.get(source, Signal()).shape is not None


@pytest.mark.parametrize("hostile", ["inf", "-inf", "nan", "1e300", "[]", "-1", "0", "[inf 2]"])
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("Demux", "Outputs"),
        ("Mux", "Inputs"),
        ("Selector", "Indices"),
        ("Selector", "InputPortWidth"),
        ("Reshape", "OutputDimensions"),
        ("Gain", "Gain"),
        ("Delay", "DelayLength"),
        ("UnitDelay", "SampleTime"),
        ("UnitDelay", "InitialCondition"),
        ("Concatenate", "ConcatenateDimension"),
        ("StateSpace", "A"),
        ("TransferFcn", "Denominator"),
        ("Lookup_n-D", "NumberOfTableDimensions"),
        ("SignalSpecification", "Dimensions"),
    ],
)
def test_senseless_numbers_are_no_trouble(kind: str, name: str, hostile: str) -> None:
    """Values that no block has are judged or left open, and never end the check."""
    given_: dict[str, Any] = {
        "IndexOptions": "Index vector (dialog)",
        "Indices": "1",
        "OutputDimensionality": "Customize",
        "Mode": "Multidimensional array",
        name: hostile,
    }
    document = model(
        [block("c", "Constant", Value="ones(2,2)"), block("b", kind, **given_)], "c -> b:1"
    )
    for one in _signals(document).values():
        assert one.shape is None or math.prod(one.shape) >= 1
    checked(document | {"settings": {"Solver": "FixedStepDiscrete", "FixedStep": hostile}})


def test_a_wide_circle_takes_time_in_proportion() -> None:
    """Twenty thousand blocks in one circle are carried in a few seconds, and linearly."""

    def seconds(count: int) -> float:
        names = [f"b{n}" for n in range(count)]
        kinds = ("Gain", "UnitDelay", "Abs", "Saturate")
        # Against the order in which they feed each other: the worst one.
        blocks = [block(name, kinds[n % 4]) for n, name in enumerate(reversed(names))]
        ring = [f"{a} -> {b}" for a, b in zip(names, [*names[1:], names[0]], strict=True)]
        flow = Flow(view(resolved(model(blocks, *ring))))
        begun = process_time()
        carry(flow)
        return process_time() - begun

    seconds(100)
    small = min(seconds(5_000) for _ in range(2))
    assert seconds(20_000) < 10 * small + 0.5
