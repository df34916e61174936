"""How many elements leave a block: one rule for each BlockType."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from grounded_builder.domains.simulink.checks.propagation.indices import picked, width_of
from grounded_builder.domains.simulink.checks.propagation.signal import (
    Shape,
    fits,
    is_flat,
    joined,
)
from grounded_builder.domains.simulink.checks.propagation.values import (
    known,
    number,
    reals,
    shape,
    value,
)
from grounded_builder.domains.simulink.checks.view import Item

Shapes = Sequence[Shape | None]
Rule = Callable[[Item, Shapes], Shapes]

ELEMENTWISE = "Element-wise"
_OPEN: Shapes = ()


def _of_values(*names: str) -> Rule:
    """A source: as wide as its values, of which single numbers go with all others."""

    def rule(item: Item, inputs: Shapes) -> Shapes:
        del inputs
        return (joined([parameter(item, name) for name in names]),)

    return rule


def parameter(item: Item, name: str, otherwise: str | None = None) -> Shape | None:
    """The shape that a parameter has beside signals."""
    one = value(item, name, otherwise)
    if one is None or not one.rows * one.columns:
        return None
    return shape(one, flat=item.value("VectorParams1D", "on") == "on")


def _same(*names: str) -> Rule:
    """One input taken element by element with these parameters."""

    def rule(item: Item, inputs: Shapes) -> Shapes:
        if not inputs or inputs[0] is None:
            return _OPEN
        return (joined([inputs[0], *(parameter(item, name, "0") for name in names)]),)

    return rule


def _each(item: Item, inputs: Shapes) -> Shapes:
    """All inputs element by element."""
    del item
    return (joined(inputs),) if inputs else _OPEN


def _collapsing(item: Item, inputs: Shapes) -> Shapes:
    """As all inputs, but of a single one that is a vector one number remains."""
    if len(inputs) == 1:
        whole = item.value("CollapseMode", "All dimensions") == "All dimensions"
        return ((1,),) if whole and inputs[0] is not None and len(inputs[0]) == 1 else _OPEN
    return _each(item, inputs)


def _product(item: Item, inputs: Shapes) -> Shapes:
    if item.value("Multiplication", ELEMENTWISE + "(.*)") == ELEMENTWISE + "(.*)":
        return _collapsing(item, inputs)
    if len(inputs) != 2 or any(one is None for one in inputs):
        return _OPEN
    one, two = (one or () for one in inputs)
    if math.prod(one) == 1 or math.prod(two) == 1:
        return _OPEN
    if len(one) == len(two) == 2 and one[1] == two[0] and "/" not in (item.value("Inputs") or ""):
        return ((one[0], two[1]),)
    return _OPEN


def _gain(item: Item, inputs: Shapes) -> Shapes:
    mode = item.value("Multiplication", ELEMENTWISE + "(K.*u)")
    if mode == ELEMENTWISE + "(K.*u)":
        return _same("Gain")(item, inputs)
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


def _delay(item: Item, inputs: Shapes) -> Shapes:
    """A memory is as wide as its input, or as its initial values where that is one number."""
    name = "X0" if "X0" in item.given and "InitialCondition" not in item.given else None
    return _same(name or "InitialCondition")(item, inputs[:1])


def _integrator(item: Item, inputs: Shapes) -> Shapes:
    if item.value("InitialConditionSource", "internal") != "internal":
        return _OPEN
    made = _same("InitialCondition")(item, inputs[:1])
    return (made[0], None) if made else _OPEN


def _mux(item: Item, inputs: Shapes) -> Shapes:
    given = widths(item, "Inputs")
    lengths = given if given and all(one > 0 for one in given) else None
    if lengths is None:
        if any(one is None or not is_flat(one) for one in inputs) or not inputs:
            return _OPEN
        lengths = [math.prod(one) for one in inputs if one is not None]
    return ((int(sum(lengths)),),)


def _demux(item: Item, inputs: Shapes) -> Shapes:
    if item.value("BusSelectionMode", "off") == "on":
        return _OPEN
    given = widths(item, "Outputs")
    if given and all(one > 0 for one in given):
        return [(int(one),) for one in given]
    count = number(item, "Outputs", "4")
    if given or count is None or not inputs or inputs[0] is None or count != int(count):
        return _OPEN
    each, more = divmod(math.prod(inputs[0]), int(count))
    if not is_flat(inputs[0]) or each < 1:
        return _OPEN
    return [(each + (place < more),) for place in range(int(count))]


def widths(item: Item, name: str) -> list[float]:
    """The lengths of several ports where a parameter lists them, empty where it is their count."""
    one = value(item, name)
    if one is None or one.rows * one.columns < 2:
        return []
    return reals(one) or []


def _selector(item: Item, inputs: Shapes) -> Shapes:
    dimensions = number(item, "NumberOfDimensions", "1")
    given = inputs[0] if inputs else None
    if given is None or dimensions != len(given):
        return _OPEN
    sizes = [width_of(one, size) for one, size in zip(picked(item), given, strict=False)]
    if len(sizes) != len(given) or any(size is None for size in sizes):
        return _OPEN
    return (tuple(size for size in sizes if size is not None),)


def _reshape(item: Item, inputs: Shapes) -> Shapes:
    wanted = item.value("OutputDimensionality", "1-D array")
    if wanted == "Customize":
        sizes = customized(item)
        return (sizes,) if sizes else _OPEN
    if not inputs or inputs[0] is None:
        return _OPEN
    count = math.prod(inputs[0])
    made: dict[str, Shape] = {
        "1-D array": (count,),
        "Column vector (2-D)": (count, 1),
        "Row vector (2-D)": (1, count),
    }
    return (made.get(wanted or ""),)


def customized(item: Item) -> Shape | None:
    """The dimensions that a Reshape block is given."""
    one = known(item.value("OutputDimensions") or "")
    sizes = reals(one) if one is not None else None
    if not sizes or any(size < 1 or size != int(size) for size in sizes):
        return None
    return tuple(int(size) for size in sizes)


def _concatenate(item: Item, inputs: Shapes) -> Shapes:
    given = [one for one in inputs if one is not None]
    if not inputs or len(given) != len(inputs):
        return _OPEN
    if item.value("Mode", "Vector") == "Vector":
        flat = all(len(one) == 1 for one in given)
        return ((sum(one[0] for one in given),),) if flat else _OPEN
    along = number(item, "ConcatenateDimension", "1")
    if along not in (1, 2) or any(len(one) != 2 for one in given):
        return _OPEN
    place = int(along) - 1
    if len({one[1 - place] for one in given}) != 1:
        return _OPEN
    total, other = sum(one[place] for one in given), given[0][1 - place]
    return ((total, other) if place == 0 else (other, total),)


def _switch(item: Item, inputs: Shapes) -> Shapes:
    if item.value("AllowDiffInputSizes", "off") != "off":
        return _OPEN
    if item.type == "MultiPortSwitch":
        first, data = inputs[:1], inputs[1:]
    else:
        first, data = inputs[1:2], (*inputs[:1], *inputs[2:])
    if not first or first[0] is None or math.prod(first[0]) != 1:
        return _OPEN
    return _each(item, data)


def _merge(item: Item, inputs: Shapes) -> Shapes:
    del item
    return (inputs[0],) if inputs and len(set(inputs)) == 1 else _OPEN


def _math(item: Item, inputs: Shapes) -> Shapes:
    if item.value("Operator") in ("transpose", "hermitian"):
        given = inputs[0] if inputs else None
        return (given[::-1],) if given is not None and len(given) == 2 else _OPEN
    return _each(item, inputs)


def _trigonometry(item: Item, inputs: Shapes) -> Shapes:
    made = _each(item, inputs)
    return (*made, *made) if item.value("Operator") == "sincos" else made


def _state_space(item: Item, inputs: Shapes) -> Shapes:
    del inputs
    rows = value(item, "C")
    return ((rows.rows,),) if rows is not None and rows.rows else _OPEN


def _transfer(name: str) -> Rule:
    """One input, one output; a matrix of polynomials makes an output of each row."""

    def rule(item: Item, inputs: Shapes) -> Shapes:
        top = value(item, name)
        if top is None or not inputs or inputs[0] is None or math.prod(inputs[0]) != 1:
            return _OPEN
        return ((1 if top.columns == 1 else top.rows,),) if top.rows == 1 else _OPEN

    return rule


def _dot(item: Item, inputs: Shapes) -> Shapes:
    del item
    given = [one for one in inputs if one is not None]
    alike = len(given) == len(inputs) == 2 and fits(*given)
    return ((1,),) if alike and all(len(one) == 1 for one in given) else _OPEN


def _table(item: Item, inputs: Shapes) -> Shapes:
    if item.value("UseOneInputPortForAllInputData", "off") == "on":
        return _OPEN
    count = number(item, "NumberOfTableDimensions", "2")
    return _each(item, inputs) if count == len(inputs) else _OPEN


def _port(item: Item, inputs: Shapes) -> Shapes:
    """A signal whose dimensions the block itself states; -1 asks its surroundings."""
    name = "PortDimensions" if item.type == "Inport" else "Dimensions"
    sizes = reals(value(item, name, "-1"))
    if sizes and all(size >= 1 and size == int(size) for size in sizes):
        return (tuple(int(size) for size in sizes),)
    return (inputs[0],) if inputs else _OPEN


def _one(item: Item, inputs: Shapes) -> Shapes:
    del item, inputs
    return ((1,),)


RULES: Mapping[str, Rule] = {
    "Abs": _same(),
    "Backlash": _same("BacklashWidth", "InitialOutput"),
    "Bias": _same("Bias"),
    "Clock": _one,
    "Concatenate": _concatenate,
    "Constant": _of_values("Value"),
    "DataTypeConversion": _same(),
    "DeadZone": _same("LowerValue", "UpperValue"),
    "Delay": _delay,
    "Demux": _demux,
    "Derivative": _same(),
    "DigitalClock": _one,
    "DiscreteIntegrator": _integrator,
    "DiscretePulseGenerator": _of_values("Amplitude", "Period", "PulseWidth", "PhaseDelay"),
    "DiscreteStateSpace": _state_space,
    "DiscreteTransferFcn": _transfer("Numerator"),
    "DotProduct": _dot,
    "Gain": _gain,
    "Inport": _port,
    "Integrator": _integrator,
    "Logic": lambda item, inputs: (
        _each(item, inputs)
        if len(inputs) > 1 or item.value("Operator", "AND") == "NOT"
        else _collapsing(item, inputs)
    ),
    "Lookup_n-D": _table,
    "Lookup": _same(),
    "Math": _math,
    "Memory": _delay,
    "Merge": _merge,
    "MinMax": _collapsing,
    "MultiPortSwitch": _switch,
    "Mux": _mux,
    "Product": _product,
    "Quantizer": _same("QuantizationInterval"),
    "RateLimiter": _same("RisingSlewLimit", "FallingSlewLimit"),
    "RateTransition": _delay,
    "RelationalOperator": _each,
    "Relay": _same("OnSwitchValue", "OffSwitchValue", "OnOutputValue", "OffOutputValue"),
    "Reshape": _reshape,
    "Rounding": _same(),
    "Saturate": _same("UpperLimit", "LowerLimit"),
    "Selector": _selector,
    "SignalConversion": _same(),
    "SignalSpecification": _port,
    "Signum": _same(),
    "Sin": _of_values("Amplitude", "Bias", "Frequency", "Phase"),
    "Sqrt": _same(),
    "StateSpace": _state_space,
    "Step": _of_values("Time", "Before", "After"),
    "Sum": _collapsing,
    "Switch": _switch,
    "TransferFcn": _transfer("Numerator"),
    "TransportDelay": _same("DelayTime", "InitialOutput"),
    "Trigonometry": _trigonometry,
    "UnaryMinus": _same(),
    "UnitDelay": _delay,
    "ZeroOrderHold": _same(),
}
