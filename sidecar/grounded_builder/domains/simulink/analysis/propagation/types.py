"""Computes the data type of the outputs of a block: one rule for each BlockType."""

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
        kept = "single" in inputs or _says(item, "OutDataTypeStr")
        return None if kept else "double"
    named = named_type(item)
    if not _says(item, "OutDataTypeStr") and any(_says(item, name) for name in _OLDER):
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


def _says(item: BlockView, name: str) -> bool:
    """Returns whether the file itself writes a parameter."""
    return name in item.given or name in item.defaults


def named_type(item: BlockView) -> str | None:
    """Returns the output type that the block states."""
    return item.value("OutDataTypeStr")


def _first(item: BlockView, inputs: Types) -> str | None:
    del item
    return inputs[0] if inputs else None


def _alike(item: BlockView, inputs: Types) -> str | None:
    """Returns the type that all inputs share."""
    del item
    return inputs[0] if inputs and len(set(inputs)) == 1 else None


def _floating(item: BlockView, inputs: Types) -> str | None:
    """Returns the type that all inputs share, if arithmetic preserves it."""
    alike = _alike(item, inputs)
    if item.value("OutDataTypeStr") in ("Inherit: Same as input", "Inherit: Same as first input"):
        return alike
    return alike if alike in _FLOATING else None


def _chosen(item: BlockView, inputs: Types) -> str | None:
    """Returns the type of the data inputs of a switch."""
    data = inputs[1:] if item.type == "MultiPortSwitch" else (*inputs[:1], *inputs[2:])
    return _alike(item, data)


_RULES: Mapping[str, Rule] = {
    "Abs": _floating,
    "Bias": _first,
    "Concatenate": _alike,
    "Delay": _first,
    "Demux": _first,
    "Gain": _floating,
    "Inport": _first,
    "Math": _floating,
    "Memory": _first,
    "Merge": _alike,
    "MinMax": _floating,
    "MultiPortSwitch": _chosen,
    "Mux": _alike,
    "Product": _floating,
    "RateTransition": _first,
    "Reshape": _first,
    "Rounding": _floating,
    "Saturate": _floating,
    "Selector": _first,
    "SignalConversion": _first,
    "SignalSpecification": _first,
    "Sqrt": _floating,
    "Sum": _floating,
    "Switch": _chosen,
    "Trigonometry": _floating,
    "UnaryMinus": _floating,
    "UnitDelay": _first,
    "ZeroOrderHold": _first,
}
