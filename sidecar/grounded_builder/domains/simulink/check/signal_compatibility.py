"""Reports signals with a size or type that the receiving block cannot take."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from math import prod

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation import Signals
from grounded_builder.domains.simulink.analysis.propagation.indices import read_selection
from grounded_builder.domains.simulink.analysis.propagation.routing import (
    Shapes,
    find_stated_dimensions,
    widths,
)
from grounded_builder.domains.simulink.analysis.propagation.signal import (
    TYPES,
    can_never_fit,
    is_flat,
)
from grounded_builder.domains.simulink.analysis.propagation.sizes import ELEMENTWISE, parameter
from grounded_builder.domains.simulink.analysis.propagation.types import CONTINUOUS, named_type
from grounded_builder.domains.simulink.analysis.propagation.values import (
    number,
    read_count,
    read_counts,
    value,
)
from grounded_builder.domains.simulink.check.arithmetic import REFUSED_TYPE
from grounded_builder.domains.simulink.check.signal_shapes import format_shape

REFUSED_SIZE = Rule.wrong(
    "SLX339", "refused-size", "TypeMismatch", "A block cannot take a signal of this size."
)

# The reason why a block rejects its inputs, and the inputs.
Refusal = tuple[str, tuple[int, ...]]

# An element of the input in an expression.
_ELEMENT = re.compile(r"(?<![\w.])u\s*[(\[]\s*(\d+)\s*[)\]]")
# Types that no block with continuous states or time takes in any release.
_DISCRETE = frozenset("boolean int8 uint8 int16 uint16 int32 uint32 int64 uint64".split())


def check_refusals(signals: Signals) -> Iterator[Diagnostic]:
    """Finds signals of a size or a type that the block at which they arrive does not take."""
    for item, sources in signals.sources.items():
        rule = _RULES.get(item.type)
        refused = rule(item, [signal.shape for signal in signals.into(item)]) if rule else None
        if refused is not None:
            why, inputs = refused
            yield new_diagnostic(
                REFUSED_SIZE,
                item.at,
                f'"{item.name}" cannot take its input: {why}',
                help="change the signal or the parameters of the block so that they match",
                node=item.name,
                related=[
                    Related(source[0].at, "made here")
                    for index in inputs
                    if (source := sources[index - 1]) is not None
                ],
            )
        if sources and sources[0] is not None:
            type_ = signals.of(sources[0]).type
            wanted = _find_required_type(item, type_) if type_ is not None else None
            if wanted is not None:
                yield new_diagnostic(
                    REFUSED_TYPE,
                    item.at,
                    f'input 1 of "{item.name}" is {type_}, and the block takes only {wanted}',
                    help=f"add a Data Type Conversion to {wanted} before it",
                    node=item.name,
                    token=type_,
                    related=[Related(sources[0][0].at, "made here")],
                )


def _find_required_type(item: BlockView, type_: str) -> str | None:
    """Returns the single type that a block takes where it differs from this type."""
    if item.type in CONTINUOUS:
        return "double" if type_ in _DISCRETE else None
    if item.type == "SignalSpecification":
        named = named_type(item)
        return named if named in TYPES and named != type_ else None
    return None


def _demux(item: BlockView, inputs: Shapes) -> Refusal | None:
    given = inputs[0] if inputs else None
    if given is None or not is_flat(given) or item.value("BusSelectionMode", "off") == "on":
        return None
    width = prod(given)
    listed = widths(item, "Outputs")
    count = read_count(number(item, "Outputs", "4"))
    if listed:
        fixed = sum(index for index in listed if index > 0)
        open_ = sum(index <= 0 for index in listed)
        if fixed + open_ > width or (not open_ and fixed != width):
            return f"it has {width} elements, and the outputs take {fixed + open_}", (1,)
    elif count is not None and count > width:
        return f"it has {width} elements, and there are {count} outputs", (1,)
    return None


def _mux(item: BlockView, inputs: Shapes) -> Refusal | None:
    for index, (wanted, given) in enumerate(
        zip(widths(item, "Inputs"), inputs, strict=False), start=1
    ):
        if given is not None and wanted > 0 and prod(given) != wanted:
            return f"input {index} has {format_shape(given)} elements, not {wanted}", (index,)
    return None


def _product(item: BlockView, inputs: Shapes) -> Refusal | None:
    """Finds matrices whose sizes do not allow their product."""
    if item.value("Multiplication", ELEMENTWISE + "(.*)") != "Matrix(*)":
        return None
    signs = (item.value("Inputs") or "2").replace(" ", "").strip("'")
    if signs.isdigit():
        signs = "*" * len(inputs)
    if len(signs) != len(inputs):
        return None
    for index, (sign, given) in enumerate(zip(signs, inputs, strict=True), start=1):
        if sign == "/" and given is not None and len(given) == 2 and given[0] != given[1]:
            return f"input {index} is {format_shape(given)}, and only a square matrix divides", (
                index,
            )
    results, two = inputs[:2] if len(inputs) > 1 else (None, None)
    if results is None or two is None or len(results) != 2 or 1 in (prod(results), prod(two)):
        return None
    # A vector is a column after a matrix, and a row after a column.
    if results[1] != two[0] and (len(two) == 2 or results[1] != 1):
        return f"{format_shape(results)} and {format_shape(two)} cannot be multiplied", (1, 2)
    return None


def _gain(item: BlockView, inputs: Shapes) -> Refusal | None:
    given, mode = inputs[0] if inputs else None, item.value("Multiplication", ELEMENTWISE)
    factor = value(item, "Gain", "1")
    if given is None or factor is None or prod(given) == 1 or factor.rows * factor.columns < 2:
        return None
    text = (
        f"it has {format_shape(given)} elements, and the gain is {factor.rows} by {factor.columns}"
    )
    if mode is None or mode.startswith(ELEMENTWISE):
        own = parameter(item, "Gain")
        return (text, (1,)) if own is not None and can_never_fit(given, own) else None
    if mode.endswith("(u vector)") and is_flat(given):
        alike = factor.columns in (1, prod(given))
    elif mode.startswith("Matrix(K*u)"):
        # A column may be read as a vector that a row multiplies.
        alike = factor.columns == given[0] or (len(given) == 1 and factor.columns == 1)
    elif mode == "Matrix(u*K)":
        alike = factor.rows == given[-1] or (len(given) == 1 and factor.rows == 1)
    else:
        return None
    return None if alike else (text, (1,))


def _selector(item: BlockView, inputs: Shapes) -> Refusal | None:
    given = inputs[0] if inputs else None
    dimensions = number(item, "NumberOfDimensions", "1")
    if given is None or dimensions not in (1, 2):
        return None
    sizes = (prod(given),) if dimensions == 1 and is_flat(given) else given
    if len(sizes) != dimensions:
        return None
    for entry, size in zip(read_selection(item), sizes, strict=False):
        beyond = [index for index in entry.elements or () if not 1 <= index <= size]
        if beyond:
            return f"it has {format_shape(given)} elements, and there is no element {beyond[0]}", (
                1,
            )
    return None


def _concatenate(item: BlockView, inputs: Shapes) -> Refusal | None:
    along = number(item, "ConcatenateDimension", "1")
    if item.value("Mode", "Vector") != "Multidimensional array" or along not in (1, 2):
        return None
    place = 2 - int(along)
    known = [
        (index, input_) for index, input_ in enumerate(inputs, 1) if input_ and len(input_) == 2
    ]
    for index, entry in known[1:]:
        first_index, first = known[0]
        if entry[place] != first[place]:
            what = "columns" if place else "rows"
            return (
                f"input {first_index} has {first[place]} {what} and input {index} {entry[place]}",
                (first_index, index),
            )
    return None


def _reshape(item: BlockView, inputs: Shapes) -> Refusal | None:
    given = inputs[0] if inputs else None
    wanted = (
        find_stated_dimensions(item) if item.value("OutputDimensionality") == "Customize" else None
    )
    if given is None or wanted is None or prod(given) == prod(wanted):
        return None
    return f"it has {format_shape(given)} elements, and the output has {format_shape(wanted)}", (1,)


def _initial(item: BlockView, inputs: Shapes) -> Refusal | None:
    """Finds initial conditions that are neither scalar nor of the size of the input."""
    given = inputs[0] if inputs else None
    if not (item.value("InputProcessing") or "Elements").startswith("Elements"):
        return None  # one for each channel
    if given is None or item.value("InitialConditionSource", "internal") != "internal":
        return None
    begun = parameter(item, "InitialCondition", "0")
    if begun is None or prod(begun) == prod(given) or 1 in (prod(begun), prod(given)):
        return None
    shown = format_shape(given)
    return f"it has {shown} elements, and the initial condition has {format_shape(begun)}", (1,)


def _state_space(item: BlockView, inputs: Shapes) -> Refusal | None:
    given, matrix = inputs[0] if inputs else None, value(item, "B")
    if given is None or matrix is None or matrix.rows * matrix.columns < 2:
        return None
    if not is_flat(given) or prod(given) in (1, matrix.columns):
        return None
    return f"it has {format_shape(given)} elements, and B has {matrix.columns} columns", (1,)


def _refuse_specification(item: BlockView, inputs: Shapes) -> Refusal | None:
    """Finds signals that contradict a Signal Specification; -1 inherits."""
    given, wanted = inputs[0] if inputs else None, read_counts(value(item, "Dimensions", "-1"))
    if given is None or not wanted or min(wanted) < 1 or item.value("VarSizeSig") == "Yes":
        return None
    if prod(given) == prod(wanted):
        return None
    return (
        f"it has {format_shape(given)} elements, and {format_shape(tuple(wanted))} are specified",
        (1,),
    )


def _function(item: BlockView, inputs: Shapes) -> Refusal | None:
    """Finds expressions that use elements beyond the width of the input."""
    given = inputs[0] if inputs else None
    named = [int(match) for match in _ELEMENT.findall(item.value("Expr") or "")]
    if given is None or not named or max(named) <= prod(given):
        return None
    return f"it has {format_shape(given)} elements, and the expression names u({max(named)})", (1,)


_RULES: Mapping[str, Callable[[BlockView, Shapes], Refusal | None]] = {
    "Concatenate": _concatenate,
    "Demux": _demux,
    "DiscreteIntegrator": _initial,
    "DiscreteStateSpace": _state_space,
    "Fcn": _function,
    "Gain": _gain,
    "Integrator": _initial,
    "Mux": _mux,
    "Product": _product,
    "Reshape": _reshape,
    "Selector": _selector,
    "SignalSpecification": _refuse_specification,
    "StateSpace": _state_space,
    "UnitDelay": _initial,
}
