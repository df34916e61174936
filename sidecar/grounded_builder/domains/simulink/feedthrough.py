"""Whether an output of a block depends at once on one of its inputs: facts by BlockType."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grounded_builder.domains.simulink.values import Known, Refused, evaluate, number_of, parse

# Their one output follows from a state, whatever their inputs are just now.
_NEVER = frozenset({"UnitDelay", "Memory", "TransportDelay"})
# No output, or none that inputs decide.
_SINKS = frozenset(
    "Scope Display ToWorkspace ToFile Terminator Outport Goto Stop Assertion DataStoreWrite".split()
)
_OPAQUE = frozenset(
    """
    SubSystem ModelReference S-Function M-S-Function MATLABSystem Reference FunctionCaller CCaller
    CFunction MATLABFcn SimscapeBlock SimscapeComponentBlock
    """.split()
)


def feedthrough(kind: str, parameters: Mapping[str, str], input_: int = 1) -> bool | None:
    """Whether the input of this number (from 1) feeds through; None where that is not known.

    Reset, initial condition and coefficient inputs feed through wherever they exist.
    """
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
        # A length of zero passes the signal at once.
        return None
    length = number_of(_value(parameters.get("DelayLength", "2")))
    return None if length is None else length <= 0


def _variable_delay(parameters: Mapping[str, str], input_: int) -> bool | None:
    if input_ == 1 and parameters.get("ZeroDelay", "off") == "on":
        return None
    return input_ != 1


def _orders(top: str, under: str) -> Callable[[Mapping[str, str], int], bool | None]:
    """A ratio of polynomials feeds through only when both are of the same order."""

    def rule(parameters: Mapping[str, str], input_: int) -> bool | None:
        if input_ != 1:
            return True
        above = _order(parameters.get(top, "[1]"))
        below = _order(parameters.get(under, "[1 1]"))
        if above is None or below is None:
            return None
        return above >= below

    return rule


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
    """A filter in powers of z^-1 feeds through when its first coefficient is not zero."""
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
    known = _value(text)
    return None if known is None else known.rows * known.columns


def _value(text: str) -> Known | None:
    try:
        return evaluate(parse(text))
    except Refused:
        return None


_RULES: Mapping[str, Callable[[Mapping[str, str], int], bool | None]] = {
    "Integrator": _integrator,
    "SecondOrderIntegrator": _integrator,
    "DiscreteIntegrator": _discrete_integrator,
    "Delay": _delay,
    "VariableTransportDelay": _variable_delay,
    "VariableTimeDelay": _variable_delay,
    "TransferFcn": _orders("Numerator", "Denominator"),
    "DiscreteTransferFcn": _orders("Numerator", "Denominator"),
    "StateSpace": _state_space,
    "DiscreteStateSpace": _state_space,
    "ZeroPole": _zero_pole,
    "DiscreteZeroPole": _zero_pole,
    "DiscreteFilter": _filter,
    "DiscreteFir": _filter,
}
