"""Constructs that Simulink writes and accepts are never wrong, and similar faults are."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_findings import list_errors, make_one_block_model
from tests.support.simulink_models import Model, block, model, system


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
    assert list_errors(make_one_block_model(kind, **given)) == expected


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
    """An option of any release is valid in a file."""
    assert list_errors(make_one_block_model(kind, **given)) == []


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
    assert list_errors(model([made]), "plan") == []


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (block("b", "Integrator", LimitOutput="true"), ["GB305"]),
        (block("b", "", source="simulink/Continuous/Integrator", LimitOutput="yes"), ["GB305"]),
        (block("b", "", source="nesl_utility/Solver Configuration", DoDC="sometimes"), []),
        (block("b", "", source="sps_lib/Power Electronics/Diode", Measurements="Voltage"), []),
    ],
)
def test_an_undocumented_switch_may_be_a_menu(made: Model, expected: list[str]) -> None:
    """Files showed on and off of it, which need not be all; what is documented is on or off."""
    assert list_errors(model([made])) == expected


def test_a_mask_owns_its_parameters() -> None:
    """A parameter that the mask of a block declares is no parameter of the block's type."""
    own = block("b", "TransportDelay", DelayTime="-5")
    assert list_errors(model([own])) == ["GB307"]
    own["mask"] = {"type": "", "parameters": {"DelayTime": "-5"}}
    assert list_errors(model([own])) == []


@pytest.mark.parametrize("state", ["on", "through", "off"])
def test_values_of_commented_out_block_are_not_evaluated(state: str) -> None:
    """Values of commented-out blocks, and of blocks inside them, are not checked."""
    inner = system([block("gain", "Gain", Gain="[1 2")])
    sub = block("sub", "SubSystem", inner) | {"properties": {"Commented": state}}
    assert list_errors(model([sub])) == (["SLX335"] if state == "off" else [])


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
    assert list_errors(make_one_block_model("Constant", Value=text)) == expected


@pytest.mark.parametrize("layout", ["slx", "plan"])
@pytest.mark.parametrize("name", ["run v1.2.3.mat", "data/run.mat", "it's (one.mat"])
def test_names_of_files_are_taken_as_they_are(name: str, layout: str) -> None:
    """The name of a file is no expression."""
    assert list_errors(make_one_block_model("ToFile", Filename=name), layout) == []


def test_an_expression_picks_from_its_input_by_either_bracket() -> None:
    """A block that evaluates an expression takes elements of its input as C writes them too."""
    assert list_errors(make_one_block_model("Fcn", Expr="sin(u(1))*exp(-u[2])"), "plan") == []
    assert list_errors(make_one_block_model("Fcn", Expr="sin(v[1])"), "plan") == ["SLX301"]


def test_a_rate_may_be_limited_to_rise() -> None:
    """Both limits of a rate may be of one sign."""
    assert (
        list_errors(make_one_block_model("RateLimiter", RisingSlewLimit="2", FallingSlewLimit="1"))
        == []
    )


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("Sinc", []), ("Sort", []), ("Gian", ["GB203"]), ("Satuarte", ["GB203"])],
)
def test_short_types_are_words_of_their_own(kind: str, expected: list[str]) -> None:
    """A letter more or another one makes another short name; two that changed places do not."""
    assert list_errors(make_one_block_model(kind)) == expected


def test_a_mask_may_call_a_parameter_like_a_constant() -> None:
    """Inside of a mask its parameters come before MATLAB's own names."""
    inner = system([block("b", "Saturate", UpperLimit="eps", LowerLimit="1")])
    sub = block("sub", "SubSystem", inner)
    assert list_errors(model([sub])) == ["SLX338"]
    sub["mask"] = {"type": "", "parameters": {"eps": "2"}}
    assert list_errors(model([sub])) == []
