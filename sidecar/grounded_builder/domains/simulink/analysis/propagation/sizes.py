"""Maps each BlockType to the rule for its output dimensions, and reads shapes of parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation import routing
from grounded_builder.domains.simulink.analysis.propagation.routing import Shapes
from grounded_builder.domains.simulink.analysis.propagation.signal import (
    Shape,
    can_fit,
    join_shapes,
)
from grounded_builder.domains.simulink.analysis.propagation.values import number, shape, value

Rule = Callable[[BlockView, Shapes], Shapes]

ELEMENTWISE = "Element-wise"
_OPEN: Shapes = ()


def _make_source_rule(*names: str) -> Rule:
    """Returns the rule of a source, which is as wide as its values after scalar expansion."""

    def rule(item: BlockView, inputs: Shapes) -> Shapes:
        del inputs
        return (join_shapes([parameter(item, name) for name in names]),)

    return rule


def parameter(item: BlockView, name: str, otherwise: str | None = None) -> Shape | None:
    """Returns the shape that a parameter has when it is combined with signals."""
    known = value(item, name, otherwise)
    if known is None or not known.rows * known.columns:
        return None
    return shape(known, flat=item.value("VectorParams1D", "on") == "on")


def _sine(item: BlockView, inputs: Shapes) -> Shapes:
    if item.value("SineType", "Time based") == "Time based":
        return _make_source_rule("Amplitude", "Bias", "Frequency", "Phase")(item, inputs)
    return _make_source_rule("Amplitude", "Bias", "Samples", "Offset")(item, inputs)


def _make_elementwise_rule(*names: str) -> Rule:
    """Returns the rule of a block with one input, combined with these parameters."""

    def rule(item: BlockView, inputs: Shapes) -> Shapes:
        if not inputs or inputs[0] is None:
            return _OPEN
        return (join_shapes([inputs[0], *(parameter(item, name, "0") for name in names)]),)

    return rule


def _combine_inputs(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the shape of all inputs combined element by element."""
    del item
    return (join_shapes(inputs),) if inputs else _OPEN


def _collapse_vector(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the shape of all inputs combined; a single vector input gives a scalar."""
    if len(inputs) == 1:
        whole = item.value("CollapseMode", "All dimensions") == "All dimensions"
        return ((1,),) if whole and inputs[0] is not None and len(inputs[0]) == 1 else _OPEN
    return _combine_inputs(item, inputs)


def _product(item: BlockView, inputs: Shapes) -> Shapes:
    if item.value("Multiplication", ELEMENTWISE + "(.*)") == ELEMENTWISE + "(.*)":
        return _collapse_vector(item, inputs)
    if len(inputs) != 2 or any(input_ is None for input_ in inputs):
        return _OPEN
    results, two = (input_ or () for input_ in inputs)
    if math.prod(results) == 1 or math.prod(two) == 1:
        return _OPEN
    if (
        len(results) == len(two) == 2
        and results[1] == two[0]
        and "/" not in (item.value("Inputs") or "")
    ):
        return ((results[0], two[1]),)
    return _OPEN


def _gain(item: BlockView, inputs: Shapes) -> Shapes:
    mode = item.value("Multiplication", ELEMENTWISE + "(K.*u)")
    if mode == ELEMENTWISE + "(K.*u)":
        return _make_elementwise_rule("Gain")(item, inputs)
    factor = value(item, "Gain", "1")
    if factor is None or not inputs or inputs[0] is None:
        return _OPEN
    given = inputs[0]
    if factor.rows == factor.columns == 1:
        return (given,)
    if mode is None or not mode.startswith("Matrix(K*u)") or math.prod(given) == 1:
        return _OPEN
    if factor.columns != given[0]:
        return _OPEN
    return ((factor.rows, *given[1:]),)


def _delay(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the shape of a state, which is that of its input where the initial value is a scalar.

    A vector of initial values may be one for each element, channel or delay step.
    """
    if item.value("InitialConditionSource", "Dialog") == "Input port":
        return _OPEN
    name = "X0" if "X0" in item.given and "InitialCondition" not in item.given else None
    begun = parameter(item, name or "InitialCondition", "0")
    return inputs[:1] if begun is not None and math.prod(begun) == 1 else _OPEN


def _integrator(item: BlockView, inputs: Shapes) -> Shapes:
    if item.value("InitialConditionSource", "internal") != "internal":
        return _OPEN
    names = ["InitialCondition"]
    if item.value("LimitOutput", "off") == "on":
        names += ["UpperSaturationLimit", "LowerSaturationLimit"]
    if "gainval" in item.parameters():
        names.append("gainval")
    made = _make_elementwise_rule(*names)(item, inputs[:1])
    return (made[0], None) if made else _OPEN


def _math(item: BlockView, inputs: Shapes) -> Shapes:
    if item.value("Operator") in ("transpose", "hermitian"):
        given = inputs[0] if inputs else None
        return (given[::-1],) if given is not None and len(given) == 2 else _OPEN
    return _combine_inputs(item, inputs)


def _trigonometry(item: BlockView, inputs: Shapes) -> Shapes:
    made = _combine_inputs(item, inputs)
    return (*made, *made) if item.value("Operator") == "sincos" else made


def _state_space(item: BlockView, inputs: Shapes) -> Shapes:
    del inputs
    rows = value(item, "C")
    return ((rows.rows,),) if rows is not None and rows.rows else _OPEN


def _transfer(name: str) -> Rule:
    """Returns the rule of a transfer function with one input.

    A matrix of numerators gives one output for each row.
    """

    def rule(item: BlockView, inputs: Shapes) -> Shapes:
        top = value(item, name)
        if top is None or not inputs or inputs[0] is None or math.prod(inputs[0]) != 1:
            return _OPEN
        return ((1 if top.columns == 1 else top.rows,),) if top.rows == 1 else _OPEN

    return rule


def _dot(item: BlockView, inputs: Shapes) -> Shapes:
    del item
    given = [input_ for input_ in inputs if input_ is not None]
    alike = len(given) == len(inputs) == 2 and can_fit(*given)
    return ((1,),) if alike and all(len(entry) == 1 for entry in given) else _OPEN


def _table(item: BlockView, inputs: Shapes) -> Shapes:
    if item.value("UseOneInputPortForAllInputData", "off") == "on":
        return _OPEN
    count = number(item, "NumberOfTableDimensions", "2")
    return _combine_inputs(item, inputs) if count == len(inputs) else _OPEN


def _make_scalar(item: BlockView, inputs: Shapes) -> Shapes:
    del item, inputs
    return ((1,),)


RULES: Mapping[str, Rule] = {
    "Abs": _make_elementwise_rule(),
    "Backlash": _make_elementwise_rule("BacklashWidth", "InitialOutput"),
    "Bias": _make_elementwise_rule("Bias"),
    "Clock": _make_scalar,
    "Concatenate": routing.concatenate,
    "Constant": _make_source_rule("Value"),
    "DataTypeConversion": _make_elementwise_rule(),
    "DeadZone": _make_elementwise_rule("LowerValue", "UpperValue"),
    "Delay": _delay,
    "Demux": routing.demux,
    "Derivative": _make_elementwise_rule(),
    "DigitalClock": _make_scalar,
    "DiscreteIntegrator": _integrator,
    "DiscretePulseGenerator": _make_source_rule("Amplitude", "Period", "PulseWidth", "PhaseDelay"),
    "DiscreteStateSpace": _state_space,
    "DiscreteTransferFcn": _transfer("Numerator"),
    "DotProduct": _dot,
    "Gain": _gain,
    "Inport": routing.port,
    "Integrator": _integrator,
    "Logic": lambda item, inputs: (
        _combine_inputs(item, inputs)
        if len(inputs) > 1 or item.value("Operator", "AND") == "NOT"
        else _collapse_vector(item, inputs)
    ),
    "Lookup_n-D": _table,
    "Lookup": _make_elementwise_rule(),
    "Math": _math,
    "Memory": _delay,
    "Merge": routing.merge,
    "MinMax": _collapse_vector,
    "MultiPortSwitch": routing.switch,
    "Mux": routing.mux,
    "Product": _product,
    "Quantizer": _make_elementwise_rule("QuantizationInterval"),
    "RateLimiter": _make_elementwise_rule("RisingSlewLimit", "FallingSlewLimit"),
    "RateTransition": _delay,
    "RelationalOperator": _combine_inputs,
    "Relay": _make_elementwise_rule(
        "OnSwitchValue", "OffSwitchValue", "OnOutputValue", "OffOutputValue"
    ),
    "Reshape": routing.reshape,
    "Rounding": _make_elementwise_rule(),
    "Saturate": _make_elementwise_rule("UpperLimit", "LowerLimit"),
    "Selector": routing.selector,
    "SignalConversion": _make_elementwise_rule(),
    "SignalSpecification": routing.port,
    "Signum": _make_elementwise_rule(),
    "Sin": _sine,
    "Sqrt": _make_elementwise_rule(),
    "StateSpace": _state_space,
    "Step": _make_source_rule("Time", "Before", "After"),
    "Sum": _collapse_vector,
    "Switch": routing.switch,
    "TransferFcn": _transfer("Numerator"),
    "TransportDelay": _make_elementwise_rule("DelayTime", "InitialOutput"),
    "Trigonometry": _trigonometry,
    "UnaryMinus": _make_elementwise_rule(),
    "UnitDelay": _delay,
    "ZeroOrderHold": _make_elementwise_rule(),
}
