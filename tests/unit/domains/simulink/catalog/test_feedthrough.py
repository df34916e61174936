"""Which inputs feed through, by BlockType and parameters."""

from __future__ import annotations

import pytest

from grounded_builder.domains.simulink.catalog.feedthrough import feedthrough


@pytest.mark.parametrize(
    ("kind", "parameters", "passes"),
    [
        ("Gain", {}, True),
        ("Sum", {}, True),
        ("Integrator", {}, False),
        ("SecondOrderIntegrator", {}, False),
        ("UnitDelay", {}, False),
        ("Memory", {}, False),
        ("TransportDelay", {}, False),
        ("ZeroOrderHold", {}, True),
        ("Delay", {"DelayLength": "1"}, False),
        ("Delay", {"DelayLength": "0"}, True),
        ("Delay", {"DelayLength": "n"}, None),
        ("Delay", {"DelayLengthSource": "Input port"}, None),
        ("Delay", {"DelayLengthSource": "Input port", "PreventDirectFeedthrough": "on"}, False),
        ("VariableTransportDelay", {}, False),
        ("VariableTransportDelay", {"ZeroDelay": "on"}, None),
        ("TransferFcn", {"Numerator": "[1]", "Denominator": "[1 1]"}, False),
        ("TransferFcn", {"Numerator": "[2 1]", "Denominator": "[1 1]"}, True),
        ("TransferFcn", {"Numerator": "[0 1]", "Denominator": "[1 1]"}, False),
        ("TransferFcn", {"Numerator": "num", "Denominator": "[1 1]"}, None),
        ("DiscreteTransferFcn", {"Numerator": "[1]", "Denominator": "[1 0.5]"}, False),
        ("DiscreteTransferFcn", {"Numerator": "[1 0]", "Denominator": "[1 0.5]"}, True),
        ("StateSpace", {"D": "0"}, False),
        ("StateSpace", {"D": "[0 0; 0 1]"}, True),
        ("StateSpace", {"D": "D"}, None),
        ("DiscreteStateSpace", {"D": "zeros(2)"}, False),
        ("ZeroPole", {"Zeros": "[1]", "Poles": "[0 -1]"}, False),
        ("ZeroPole", {"Zeros": "[1 2]", "Poles": "[0 -1]"}, True),
        ("ZeroPole", {"Zeros": "[]", "Poles": "[-1]"}, False),
        ("ZeroPole", {"Zeros": "z", "Poles": "[-1]"}, None),
        ("DiscreteZeroPole", {"Zeros": "[]", "Poles": "[]"}, True),
        ("DiscreteIntegrator", {}, False),
        ("DiscreteIntegrator", {"IntegratorMethod": "Integration: Backward Euler"}, True),
        ("DiscreteIntegrator", {"IntegratorMethod": "Integration: Trapezoidal"}, True),
        ("DiscreteIntegrator", {"IntegratorMethod": "Accumulation: Forward Euler"}, False),
        ("DiscreteFilter", {"Numerator": "[1 2]"}, True),
        ("DiscreteFilter", {"Numerator": "[0 1]"}, False),
        ("DiscreteFilter", {"Numerator": "b"}, None),
        ("DiscreteFilter", {"NumeratorSource": "Input port"}, None),
        ("DiscreteFir", {"Coefficients": "[0 0.5]"}, False),
        ("DiscreteFir", {"Coefficients": "[0.5 0.5]"}, True),
        ("RateTransition", {}, None),
        ("RateTransition", {"Integrity": "off"}, True),
        ("Switch", {}, True),
        ("Merge", {}, True),
        ("Scope", {}, False),
        ("S-Function", {}, None),
        ("ModelReference", {}, None),
    ],
)
def test_the_first_input_feeds_through(
    kind: str, parameters: dict[str, str], passes: bool | None
) -> None:
    """Whether an output depends at once on the first input follows from type and parameters."""
    assert feedthrough(kind, parameters) is passes


@pytest.mark.parametrize(
    "kind",
    ["Integrator", "DiscreteIntegrator", "Delay", "DiscreteTransferFcn", "DiscreteFilter"],
)
def test_resets_and_initial_values_feed_through(kind: str) -> None:
    """Reset and initial value inputs feed through."""
    assert feedthrough(kind, {"ExternalReset": "rising"}, 2) is True


@pytest.mark.parametrize(
    ("source", "controller", "passes"),
    [
        ("simulink/Continuous/PID Controller", "PID", True),
        ("simulink/Continuous/PID\nController", "PI", True),
        ("slpidlib/PID Controller", "I", False),
        ("simulink/Logic and Bit\nOperations/Compare\nTo Constant", "", True),
        ("my_library/PID Controller", "I", None),
    ],
)
def test_masks_of_the_base_library_are_known(
    source: str, controller: str, passes: bool | None
) -> None:
    """A controller that only integrates delays; masks of other libraries are not known."""
    parameters = {"Controller": controller} if controller else {}
    assert feedthrough("Reference", parameters, 1, source) is passes
