"""Computes the output data type of a block by its BlockType, or the type that it states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.signal import TYPES
from grounded_builder.domains.simulink.analysis.propagation.values import literal_type

Types = Sequence[str | None]
Rule = Callable[[BlockView, Types], str | None]

# Blocks that compute with continuous states or time, which take and return double precision
# (documentation of each block).
CONTINUOUS = frozenset(
    """
    Derivative Integrator SecondOrderIntegrator StateSpace TransferFcn TransportDelay
    VariableTransportDelay ZeroPole
    """.split()
)
_DOUBLE = CONTINUOUS | frozenset("Clock RandomNumber Sin".split())
# Types that the internal rule of propagation preserves.
_FLOATING = frozenset({"double", "single"})
# The parameter of files before R2010a for ``OutDataTypeStr``.
_OLDER = (
    "OutDataTypeMode",
    "OutputDataTypeScalingMode",
    "LogicOutDataTypeMode",
    "DataType",
    "DataTypeMode",
)


def type_of(item: BlockView, inputs: Types, *, logical: str | None) -> str | None:
    """Returns the type of all outputs; ``logical`` is the type of logical signals in the model."""
    if item.type in _DOUBLE:
        # Whether single precision is preserved depends on the release.
        is_release_dependent = "single" in inputs or _is_written(item, "OutDataTypeStr")
        return None if is_release_dependent else "double"
    named = named_type(item)
    if not _is_written(item, "OutDataTypeStr") and any(_is_written(item, name) for name in _OLDER):
        return None
    if named in TYPES:
        return named
    if named is not None and named.startswith("Inherit: Logical"):
        return logical
    if item.type == "Constant":
        if named not in (None, "Inherit: Inherit from 'Constant value'"):
            return None
        return literal_type(item.value("Value", "1") or "")
    if item.type == "DiscretePulseGenerator":
        return literal_type(item.value("Amplitude", "1") or "")
    rule = _RULES.get(item.type)
    if rule is None:
        return None
    if named in (None, "Inherit: Same as input", "Inherit: Same as first input"):
        return rule(item, inputs[:1] if named is not None else inputs)
    if named in ("Inherit: Inherit via internal rule", "Inherit: auto"):
        return rule(item, inputs)
    return None


def _is_written(item: BlockView, name: str) -> bool:
    """Returns whether the file itself writes a parameter."""
    return name in item.given or name in item.defaults


def named_type(item: BlockView) -> str | None:
    """Returns the output type that the block states."""
    return item.value("OutDataTypeStr")


def _find_first_type(item: BlockView, inputs: Types) -> str | None:
    del item
    return inputs[0] if inputs else None


def _find_common_type(item: BlockView, inputs: Types) -> str | None:
    """Returns the type that all inputs share."""
    del item
    return inputs[0] if inputs and len(set(inputs)) == 1 else None


def _find_floating_type(item: BlockView, inputs: Types) -> str | None:
    """Returns the type that all inputs share, if arithmetic preserves it."""
    alike = _find_common_type(item, inputs)
    if item.value("OutDataTypeStr") in ("Inherit: Same as input", "Inherit: Same as first input"):
        return alike
    return alike if alike in _FLOATING else None


def _find_switch_type(item: BlockView, inputs: Types) -> str | None:
    """Returns the type of the data inputs of a switch."""
    data = inputs[1:] if item.type == "MultiPortSwitch" else (*inputs[:1], *inputs[2:])
    return _find_common_type(item, data)


_RULES: Mapping[str, Rule] = {
    "Abs": _find_floating_type,
    "Bias": _find_first_type,
    "Concatenate": _find_common_type,
    "Delay": _find_first_type,
    "Demux": _find_first_type,
    "Gain": _find_floating_type,
    "Inport": _find_first_type,
    "Math": _find_floating_type,
    "Memory": _find_first_type,
    "Merge": _find_common_type,
    "MinMax": _find_floating_type,
    "MultiPortSwitch": _find_switch_type,
    "Mux": _find_common_type,
    "Product": _find_floating_type,
    "RateTransition": _find_first_type,
    "Reshape": _find_first_type,
    "Rounding": _find_floating_type,
    "Saturate": _find_floating_type,
    "Selector": _find_first_type,
    "SignalConversion": _find_first_type,
    "SignalSpecification": _find_first_type,
    "Sqrt": _find_floating_type,
    "Sum": _find_floating_type,
    "Switch": _find_switch_type,
    "Trigonometry": _find_floating_type,
    "UnaryMinus": _find_floating_type,
    "UnitDelay": _find_first_type,
    "ZeroOrderHold": _find_first_type,
}
