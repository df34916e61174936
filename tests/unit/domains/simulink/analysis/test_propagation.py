"""Types, dimensions and sample times are carried forward as far as they are proven."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.simulink.analysis.propagation import Rate, Signal
from grounded_builder.domains.simulink.analysis.propagation.signal import CONSTANT, CONTINUOUS
from tests.support.simulink_models import Signals, block, check_model, model, signals_of, system


def _behind(kind: str, *values: str, **parameters: Any) -> Signals:
    """The signals of a block that constants of these values feed."""
    sources = [block(f"c{n}", "Constant", Value=value) for n, value in enumerate(values, 1)]
    lines = [f"c{n} -> b:{n}" for n in range(1, len(values) + 1)]
    return signals_of(model([*sources, block("b", kind, **parameters)], *lines))


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
    behind = _behind(kind, *values, **parameters)
    seen = {
        index: signal.shape
        for (name, index), signal in behind.items()
        if name == "b" and signal.shape
    }
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
    for item, type_ in (("on", "boolean"), ("off", "double")):
        known = signals_of(document | {"settings": {"BooleanDataType": item}})
        assert known["b", 1].type == type_


def test_a_model_that_overrides_types_keeps_only_logical_ones() -> None:
    """Numbers of a model whose types are overridden are of no type that is known."""
    blocks = [block("c", "Constant"), block("t", "Constant", Value="true"), block("k", "Gain")]
    known = signals_of(model(blocks, "c -> k") | {"settings": {"DataTypeOverride": "Double"}})
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
    known = signals_of(model(blocks, "x -> b:1", "y -> b:2"))
    assert known.get(("b", 1), Signal()).rate == rate


def test_a_constant_stands_still() -> None:
    """A constant whose sample time is left out is constant, and so is what is made of it alone."""
    blocks = [block("c", "Constant"), block("k", "Gain"), block("x", "Sin", SampleTime="0.1")]
    total = block("b", "Sum", Inputs="++")
    known = signals_of(model([*blocks, total], "c -> k", "k -> b:1", "x -> b:2"))
    assert known["k", 1].rate == CONSTANT
    assert known["b", 1].rate == Rate(0.1)


def test_a_triggered_block_has_no_known_rate() -> None:
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
    known = signals_of(model(blocks, "x -> sub, sub.enable1", "sub -> b"))
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
    known = signals_of(
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
    known = signals_of(model([*blocks, block("b", "Gain")], "c -> sub", "sub -> b"))
    assert known.get(("sub/k", 1), Signal()).shape is None
    assert known.get(("b", 1), Signal()).shape is None


def test_parameters_set_by_mask_code_are_unknown() -> None:
    """Parameters that mask code may set are neither checked nor propagated; the others are."""
    inner = system(
        [block("c", "Constant", Value="[1 2]"), block("d", "Demux", Outputs="3")], "c -> d"
    )
    sub = block("sub", "SubSystem", inner)
    assert {diagnostic.code for diagnostic in check_model(model([sub]))} >= {"SLX339"}
    for code, judged in (
        ("x = 1;", True),
        ("set_param([gcb '/s'], 'VariableName', 'y')", True),
        ("set_param([gcb '/d'], 'Outputs', '2')", False),
        ("set_param(gcb, name, '2')", False),
        ("delete_line(gcb, 'c/1', 'd/1')", False),
    ):
        sub["mask"] = {"type": "", "parameters": {}, "initialization": code}
        assert ("SLX339" in {diagnostic.code for diagnostic in check_model(model([sub]))}) is judged
        assert (("sub/d", 1) in signals_of(model([sub]))) is judged


def test_a_circle_ends() -> None:
    """In a cycle the certain properties are known, such as the type of an integrator."""
    blocks = [
        block("c", "Constant", Value="[1 2]"),
        block("sum", "Sum", Inputs="++", OutDataTypeStr="double"),
        block("s", "StateSpace", A="eye(2)", B="eye(2)", C="eye(2)", D="zeros(2)"),
        block("z", "UnitDelay", SampleTime="0.1"),
    ]
    known = signals_of(model(blocks, "c -> sum:1", "sum -> s", "s -> z", "z -> sum:2"))
    assert known["s", 1].shape == (2,)
    assert known["z", 1].shape == (2,)
    assert known["sum", 1].shape == (2,)
    assert known["z", 1].rate == Rate(0.1)
