"""Signals that a block cannot take, and those that it can."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_models import block, codes, model

PICK = {"IndexOptions": "Index vector (dialog)", "OutputSizes": "1"}
SIDE = {"Mode": "Multidimensional array", "ConcatenateDimension": "2"}
CUSTOM = {"OutputDimensionality": "Customize"}


@pytest.mark.parametrize(
    ("kind", "values", "given", "refused"),
    [
        ("Demux", ["[1 2]"], {"Outputs": "3"}, True),
        ("Demux", ["[1 2]"], {"Outputs": "2"}, False),
        ("Demux", ["[1 2 3]"], {"Outputs": "[1 1]"}, True),
        ("Demux", ["[1 2 3]"], {"Outputs": "[1 -1]"}, False),
        ("Demux", ["[1 2 3]"], {"Outputs": "[3 -1]"}, True),
        ("Demux", ["v"], {"Outputs": "3"}, False),
        ("Demux", ["1"], {"Outputs": "3", "BusSelectionMode": "on"}, False),
        ("Mux", ["[1 2]", "1"], {"Inputs": "[2 2]"}, True),
        ("Mux", ["[1 2]", "1"], {"Inputs": "[2 -1]"}, False),
        ("Product", ["ones(2,3)", "ones(2,3)"], {"Multiplication": "Matrix(*)"}, True),
        ("Product", ["ones(2,3)", "ones(3,2)"], {"Multiplication": "Matrix(*)"}, False),
        ("Product", ["ones(2,3)", "2"], {"Multiplication": "Matrix(*)"}, False),
        ("Product", ["ones(2,3)", "[1 2]"], {"Multiplication": "Matrix(*)"}, True),
        ("Product", ["ones(2,3)", "[1 2 3]"], {"Multiplication": "Matrix(*)"}, False),
        ("Product", ["ones(2,1)", "[1 2]"], {"Multiplication": "Matrix(*)"}, False),
        (
            "Product",
            ["1", "ones(2,3)"],
            {"Multiplication": "Matrix(*)", "Inputs": "*/"},
            True,
        ),
        ("Gain", ["[1 2]"], {"Gain": "[1 2 3]"}, True),
        ("Gain", ["[1 2 3]"], {"Gain": "[1;2;3]"}, False),
        ("Gain", ["ones(2,3)"], {"Gain": "[1 2 3]"}, False),
        ("Gain", ["[1 2]"], {"Gain": "ones(2,3)", "Multiplication": "Matrix(K*u)"}, True),
        ("Gain", ["[1 2 3]"], {"Gain": "ones(2,3)", "Multiplication": "Matrix(K*u)"}, False),
        ("Gain", ["[1 2]"], {"Gain": "ones(2,3)", "Multiplication": "Matrix(u*K)"}, False),
        ("Gain", ["[1 2]"], {"Gain": "K", "Multiplication": "Matrix(K*u)"}, False),
        ("Selector", ["[1 2 3]"], PICK | {"Indices": "[1 4]"}, True),
        ("Selector", ["[1 2 3]"], PICK | {"Indices": "[3 1]"}, False),
        ("Selector", ["v"], PICK | {"Indices": "[1 4]"}, False),
        ("Concatenate", ["ones(2,2)", "ones(3,2)"], SIDE, True),
        ("Concatenate", ["ones(2,2)", "ones(2,3)"], SIDE, False),
        ("Concatenate", ["[1 2]", "[1 2 3]"], {}, False),
        ("Reshape", ["[1 2 3]"], CUSTOM | {"OutputDimensions": "[2,2]"}, True),
        ("Reshape", ["[1 2 3 4]"], CUSTOM | {"OutputDimensions": "[2,2]"}, False),
        ("Integrator", ["[1 2]"], {"InitialCondition": "[0 0 0]"}, True),
        ("Integrator", ["1"], {"InitialCondition": "[0 0 0]"}, False),
        (
            "UnitDelay",
            ["[1 2]"],
            {
                "InitialCondition": "[0 0 0]",
                "InputProcessing": "Columns as channels (frame based)",
            },
            False,
        ),
        ("SignalSpecification", ["[1 2]"], {"Dimensions": "3"}, True),
        ("SignalSpecification", ["[1 2 3]"], {"Dimensions": "[3 1]"}, False),
        ("SignalSpecification", ["[1 2]"], {"Dimensions": "-1"}, False),
        ("SignalSpecification", ["[1 2]"], {"Dimensions": "3", "VarSizeSig": "Yes"}, False),
        ("StateSpace", ["[1 2 3]"], {"A": "-1", "B": "[1 1]", "C": "1", "D": "0"}, True),
        ("StateSpace", ["[1 2]"], {"A": "-1", "B": "[1 1]", "C": "1", "D": "0"}, False),
    ],
)
def test_sizes_that_are_refused(
    kind: str, values: list[str], given: dict[str, Any], *, refused: bool
) -> None:
    """A size is reported where block and signal are both known and cannot go together."""
    sources = [block(f"c{n}", "Constant", Value=value) for n, value in enumerate(values, 1)]
    lines = [f"c{n} -> b:{n}" for n in range(1, len(values) + 1)]
    assert ("SLX339" in codes(model([*sources, block("b", kind, **given)], *lines))) is refused


@pytest.mark.parametrize(
    ("first", "second", "unequal"),
    [
        ("[1 2]", "[1 2 3]", True),
        ("ones(2,3)", "ones(3,2)", True),
        ("ones(2,3)", "[1 2 3 4]", True),
        ("[1 2 3]", "ones(3,1)", False),
        # Sizes that a newer release may expand are left open.
        ("ones(2,3)", "[1 2 3]", False),
    ],
)
def test_sizes_that_are_unequal(first: str, second: str, *, unequal: bool) -> None:
    """Sizes that some release combines element by element are not reported."""
    blocks = [
        block("a", "Constant", Value=first),
        block("c", "Constant", Value=second),
        block("b", "Product", Inputs="2"),
    ]
    assert ("SLX331" in codes(model(blocks, "a -> b:1", "c -> b:2"))) is unequal


@pytest.mark.parametrize(
    ("kind", "type_", "refused"),
    [
        ("Integrator", "boolean", True),
        ("TransferFcn", "int8", True),
        ("StateSpace", "uint32", True),
        ("Derivative", "boolean", True),
        ("Integrator", "double", False),
        ("Integrator", "single", False),
        ("Integrator", "fixdt(1,16,2)", False),
        ("Integrator", "Inherit: Inherit via back propagation", False),
        ("DiscreteIntegrator", "int8", False),
        ("UnitDelay", "boolean", False),
    ],
)
def test_types_that_are_refused(kind: str, type_: str, *, refused: bool) -> None:
    """Blocks with continuous states take no logical and no integer signal."""
    blocks = [
        block("c", "Constant", Value="v"),
        block("d", "DataTypeConversion", OutDataTypeStr=type_),
        block("b", kind),
    ]
    assert ("SLX340" in codes(model(blocks, "c -> d", "d -> b"))) is refused


@pytest.mark.parametrize(
    ("type_", "specified", "refused"),
    [("int8", "double", True), ("int8", "int8", False), ("int8", "Inherit: auto", False)],
)
def test_a_specification_is_preserved(type_: str, specified: str, *, refused: bool) -> None:
    """The type of a Signal Specification is the type that arrives."""
    blocks = [
        block("c", "Constant", OutDataTypeStr=type_),
        block("b", "SignalSpecification", OutDataTypeStr=specified),
    ]
    assert ("SLX340" in codes(model(blocks, "c -> b"))) is refused


@pytest.mark.parametrize("kind", ["Merge", "DataTypeDuplicate"])
@pytest.mark.parametrize(("second", "unequal"), [("int8", False), ("int16", True), ("T", False)])
def test_inputs_of_one_type_are_compared(kind: str, second: str, *, unequal: bool) -> None:
    """Merge and Data Type Duplicate take inputs of one type, whatever their parameters are."""
    blocks = [
        block("a", "Constant", OutDataTypeStr="int8"),
        block("c", "Constant", OutDataTypeStr=second),
        block("b", kind),
    ]
    assert ("SLX332" in codes(model(blocks, "a -> b:1", "c -> b:2"))) is unequal


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
    [
        ("DiscreteIntegrator", {}, ["SLX339"]),
        ("DiscreteIntegrator", {"gainval": "[1 2 3]"}, []),
        ("Integrator", {"LimitOutput": "on", "UpperSaturationLimit": "[1 2 3]"}, []),
        ("Integrator", {"UpperSaturationLimit": "[1 2 3]"}, ["SLX339"]),
    ],
)
def test_parameters_widen_an_integral(
    kind: str, given: dict[str, Any], expected: list[str]
) -> None:
    """One number is integrated as often as a gain or a limit that counts has elements."""
    blocks = [block("a", "Constant", Value="1"), block("b", kind, **given)]
    blocks.append(block("parts", "Demux", Outputs="3"))
    assert codes(model(blocks, "a -> b", "b -> parts")) == expected


@pytest.mark.parametrize(("type_", "expected"), [("single", []), ("double", ["SLX340"])])
def test_a_state_may_keep_single_precision(type_: str, expected: list[str]) -> None:
    """A continuous state makes numbers of double precision of all but those of single precision."""
    made = block("a", "Inport", OutDataTypeStr=type_)
    asked = block("b", "SignalSpecification", OutDataTypeStr="single")
    state = block("state", "StateSpace")
    assert codes(model([made, state, asked], "a -> state", "state -> b")) == expected
