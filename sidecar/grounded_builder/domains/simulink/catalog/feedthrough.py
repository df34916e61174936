"""Determines whether a block's output depends directly on an input; recognizes known masks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grounded_builder.domains.simulink.matlab_expr import (
    Known,
    RejectedValueError,
    evaluate,
    number_of,
    parse,
)

# Blocks whose only output is a state, independent of the current inputs.
_NEVER = frozenset({"UnitDelay", "Memory", "TransportDelay"})
# Blocks without outputs, or with outputs that do not depend on inputs.
_SINKS = frozenset(
    "Scope Display ToWorkspace ToFile Terminator Outport Goto Stop Assertion DataStoreWrite".split()
)
_OPAQUE = frozenset(
    """
    SubSystem ModelReference S-Function M-S-Function MATLABSystem Reference FunctionCaller CCaller
    CFunction MATLABFcn SimscapeBlock SimscapeComponentBlock
    """.split()
)


# Masks of the base library over blocks that pass on every input directly.
_MASKED = frozenset(
    {
        "simulink/Discontinuities/Dead Zone Dynamic",
        "simulink/Discontinuities/Rate Limiter Dynamic",
        "simulink/Discontinuities/Saturation Dynamic",
        "simulink/Discontinuities/Wrap To Zero",
        "simulink/Logic and Bit Operations/Bitwise Operator",
        "simulink/Logic and Bit Operations/Compare To Constant",
        "simulink/Logic and Bit Operations/Compare To Zero",
        "simulink/Logic and Bit Operations/Detect Change",
        "simulink/Logic and Bit Operations/Detect Decrease",
        "simulink/Logic and Bit Operations/Detect Increase",
        "simulink/Logic and Bit Operations/Interval Test",
        "simulink/Logic and Bit Operations/Interval Test Dynamic",
        "simulink/Math Operations/MinMax Running Resettable",
        "simulink/Math Operations/Slider Gain",
        "simulink/Signal Routing/Manual Switch",
    }
)
_PID = frozenset(
    {
        "simulink/Continuous/PID Controller",
        "simulink/Continuous/PID Controller (2DOF)",
        "slpidlib/PID Controller",
        "slpidlib/PID Controller (2DOF)",
    }
)


def is_known_mask(source: str | None) -> bool:
    """Returns whether the feedthrough of the mask at this library path is known."""
    path = " ".join((source or "").split())
    return path in _MASKED or path in _PID


def feedthrough(
    kind: str, parameters: Mapping[str, str], input_: int = 1, source: str | None = None
) -> bool | None:
    """Returns whether an input, counted from 1, feeds through; None where that is not known.

    Reset, initial condition and coefficient inputs feed through wherever they exist. ``source`` is
    the library path of a mask.
    """
    path = " ".join((source or "").split())
    if path in _MASKED:
        return True
    if path in _PID:
        return _pid(parameters, input_)
    if kind in _NEVER:
        return False
    if kind in _SINKS:
        return False
    if kind in _OPAQUE:
        return None
    rule = _RULES.get(kind)
    if rule is None:
        return True
    return rule(parameters, input_)


def _pid(parameters: Mapping[str, str], input_: int) -> bool | None:
    """Returns False for a continuous controller that only integrates."""
    controller = parameters.get("Controller", "PID")
    if "P" in controller or "D" in controller:
        return True
    return False if input_ == 1 else None


def _integrator(parameters: Mapping[str, str], input_: int) -> bool | None:
    del parameters
    return input_ != 1


def _discrete_integrator(parameters: Mapping[str, str], input_: int) -> bool | None:
    if input_ != 1:
        return True
    method = parameters.get("IntegratorMethod", "Integration: Forward Euler")
    return "Forward" not in method


def _delay(parameters: Mapping[str, str], input_: int) -> bool | None:
    if input_ != 1:
        return True
    if parameters.get("DelayLengthSource", "Dialog") == "Input port":
        # A delay of length zero passes the signal directly, unless direct feedthrough is disabled.
        return False if parameters.get("PreventDirectFeedthrough") == "on" else None
    length = number_of(_value(parameters.get("DelayLength", "2")))
    return None if length is None else length <= 0


def _variable_delay(parameters: Mapping[str, str], input_: int) -> bool | None:
    if input_ == 1 and parameters.get("ZeroDelay", "off") == "on":
        return None
    return input_ != 1


def _transition(parameters: Mapping[str, str], input_: int) -> bool | None:
    """Returns whether the input is passed on; between two rates a buffer may delay it."""
    del input_
    unsafe = parameters.get("Integrity", "on") == "off"
    return True if unsafe else None


def _rational(parameters: Mapping[str, str], input_: int) -> bool | None:
    """Returns whether a rational function feeds through: when both orders are equal."""
    if input_ != 1:
        return True
    above = _order(parameters.get("Numerator", "[1]"))
    below = _order(parameters.get("Denominator", "[1 1]"))
    return None if above is None or below is None else above >= below


def _state_space(parameters: Mapping[str, str], input_: int) -> bool | None:
    del input_
    direct = _value(parameters.get("D", "1"))
    if direct is None or direct.elements is None:
        return None
    return any(direct.elements)


def _zero_pole(parameters: Mapping[str, str], input_: int) -> bool | None:
    del input_
    zeros, poles = (
        _length(parameters.get("Zeros", "[1]")),
        _length(parameters.get("Poles", "[0 -1]")),
    )
    if zeros is None or poles is None:
        return None
    return zeros >= poles


def _filter(parameters: Mapping[str, str], input_: int) -> bool | None:
    """Returns whether the first coefficient of a filter in powers of z^-1 is not zero."""
    if input_ != 1:
        return True
    if "Input port" in parameters.get("NumeratorSource", parameters.get("CoefSource", "")):
        return None
    known = _value(parameters.get("Numerator", parameters.get("Coefficients", "[1]")))
    if known is None or not known.elements:
        return None
    return known.elements[0] != 0


def _order(text: str) -> int | None:
    known = _value(text)
    if known is None or known.elements is None or 1 not in (known.rows, known.columns):
        return None
    elements: Sequence[object] = known.elements
    while elements and not elements[0]:
        elements = elements[1:]
    return len(elements) - 1


def _length(text: str) -> int | None:
    """Returns the length of a vector; a matrix has several."""
    known = _value(text)
    if known is None or min(known.rows, known.columns) > 1:
        return None
    return known.rows * known.columns


def _value(text: str) -> Known | None:
    try:
        return evaluate(parse(text))
    except RejectedValueError:
        return None


_RULES: Mapping[str, Callable[[Mapping[str, str], int], bool | None]] = {
    "Integrator": _integrator,
    "SecondOrderIntegrator": _integrator,
    "DiscreteIntegrator": _discrete_integrator,
    "Delay": _delay,
    "VariableTransportDelay": _variable_delay,
    "VariableTimeDelay": _variable_delay,
    "TransferFcn": _rational,
    "DiscreteTransferFcn": _rational,
    "RateTransition": _transition,
    "StateSpace": _state_space,
    "DiscreteStateSpace": _state_space,
    "ZeroPole": _zero_pole,
    "DiscreteZeroPole": _zero_pole,
    "DiscreteFilter": _filter,
    "DiscreteFir": _filter,
}
