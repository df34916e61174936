"""Values of one block that contradict each other, and those that only seem to."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.simulink_models import block, codes, model

TABLE = {"NumberOfTableDimensions": "1", "BreakpointsForDimension1": "[1 2 3]"}
PLANE = {
    "NumberOfTableDimensions": "2",
    "BreakpointsForDimension1": "[1 2]",
    "BreakpointsForDimension2": "[1 2 3]",
}
SPACE = {"A": "[0 1;-1 -1]", "B": "[0;1]", "C": "[1 0]", "D": "0"}


@pytest.mark.parametrize(
    ("kind", "given", "wrong"),
    [
        ("TransferFcn", {"Numerator": "[1 2 3]", "Denominator": "[1 1]"}, True),
        ("TransferFcn", {"Numerator": "[0 0 3]", "Denominator": "[1 1]"}, False),
        ("TransferFcn", {"Numerator": "[1 2]", "Denominator": "[1 1]"}, False),
        ("TransferFcn", {"Numerator": "[1 2;3 4;5 6]", "Denominator": "[1 1]"}, False),
        ("TransferFcn", {"Numerator": "num", "Denominator": "[1 1]"}, False),
        ("DiscreteTransferFcn", {"Numerator": "[1 2 3]", "Denominator": "[1 0.5]"}, True),
        (
            "DiscreteTransferFcn",
            {"Numerator": "[1 2 3]", "Denominator": "1", "NumeratorSource": "Input port"},
            False,
        ),
        ("ZeroPole", {"Zeros": "[1 2]", "Poles": "[-1]"}, True),
        ("ZeroPole", {"Zeros": "[]", "Poles": "[-1]"}, False),
        ("ZeroPole", {"Zeros": "[1 2;3 4;5 6]", "Poles": "[-1 -2]"}, False),
        ("DiscreteZeroPole", {"Zeros": "[1 2]", "Poles": "[0.5]"}, True),
        ("StateSpace", SPACE, False),
        ("StateSpace", SPACE | {"A": "[0 1]"}, True),
        ("StateSpace", SPACE | {"B": "[0;1;2]"}, True),
        ("StateSpace", SPACE | {"C": "[1 0 0]"}, True),
        ("StateSpace", SPACE | {"D": "[0 0]"}, True),
        ("StateSpace", SPACE | {"C": "eye(2)", "D": "0"}, False),
        ("StateSpace", SPACE | {"A": "A"}, False),
        ("StateSpace", {"A": "[]", "B": "[]", "C": "[]", "D": "[1 2]"}, False),
        ("DiscreteStateSpace", SPACE | {"B": "[0;1;2]"}, True),
        ("Saturate", {"UpperLimit": "-1", "LowerLimit": "1"}, True),
        ("Saturate", {"UpperLimit": "1", "LowerLimit": "1"}, False),
        ("Saturate", {"UpperLimit": "top", "LowerLimit": "1"}, False),
        ("Saturate", {"UpperLimit": "inf", "LowerLimit": "-inf"}, False),
        ("DeadZone", {"LowerValue": "1", "UpperValue": "0"}, True),
        ("Relay", {"OnSwitchValue": "0", "OffSwitchValue": "1"}, True),
        ("Relay", {"OnSwitchValue": "1", "OffSwitchValue": "0"}, False),
        ("DiscreteFilter", {"Denominator": "[0 1]"}, True),
        ("DiscreteFilter", {"Denominator": "[1 0]"}, False),
        ("DiscreteFilter", {"Denominator": "[0 1]", "DenominatorSource": "Input port"}, False),
        ("Delay", {"DelayLength": "1.5"}, True),
        ("Delay", {"DelayLength": "-1"}, True),
        ("Delay", {"DelayLength": "0"}, False),
        ("Lookup_n-D", TABLE | {"Table": "[1 2 3]"}, False),
        ("Lookup_n-D", TABLE | {"Table": "[1;2;3]"}, False),
        ("Lookup_n-D", TABLE | {"Table": "[1 2]"}, True),
        ("Lookup_n-D", TABLE | {"Table": "t"}, False),
        (
            "Lookup_n-D",
            TABLE | {"Table": "[1 2 3]", "BreakpointsForDimension1": "[1 1 2]"},
            True,
        ),
        ("Lookup_n-D", PLANE | {"Table": "ones(2,3)"}, False),
        ("Lookup_n-D", PLANE | {"Table": "ones(3,2)"}, True),
        ("Lookup_n-D", PLANE | {"Table": "1", "DataSpecification": "Lookup table object"}, False),
        ("Lookup", {"InputValues": "[1 1 2]", "Table": "[1 2 3]"}, False),
        ("Lookup", {"InputValues": "[1 3 2]", "Table": "[1 2 3]"}, True),
        (
            "Selector",
            {
                "IndexOptions": "Index vector (dialog)",
                "Indices": "[0 3]",
                "OutputSizes": "1",
                "InputPortWidth": "3",
                "IndexMode": "Zero-based",
            },
            True,
        ),
        (
            "Selector",
            {
                "IndexOptions": "Index vector (dialog)",
                "Indices": "[0 2]",
                "OutputSizes": "1",
                "InputPortWidth": "3",
                "IndexMode": "Zero-based",
            },
            False,
        ),
        (
            "Integrator",
            {"LimitOutput": "on", "UpperSaturationLimit": "0", "LowerSaturationLimit": "1"},
            True,
        ),
        ("Integrator", {"UpperSaturationLimit": "0", "LowerSaturationLimit": "1"}, False),
    ],
)
def test_values_of_a_block_agree(kind: str, given: dict[str, Any], *, wrong: bool) -> None:
    """Numbers that cannot stand together are reported; variables, ports and other modes are not."""
    assert ("SLX338" in codes(model([block("b", kind, **given)]))) is wrong
