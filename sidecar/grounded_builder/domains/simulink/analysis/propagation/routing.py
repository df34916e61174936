"""Computes output dimensions of blocks that join, split, select or switch signals (Mux, Merge)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.indices import (
    find_selected_width,
    read_selection,
)
from grounded_builder.domains.simulink.analysis.propagation.signal import (
    Shape,
    is_flat,
    join_shapes,
)
from grounded_builder.domains.simulink.analysis.propagation.values import (
    evaluate_literals,
    number,
    read_count,
    read_counts,
    value,
)

Shapes = Sequence[Shape | None]
_OPEN: Shapes = ()


def mux(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns a vector whose length is the sum of the lengths of all inputs."""
    given = widths(item, "Inputs")
    lengths = given if given and all(index > 0 for index in given) else None
    if lengths is None:
        if any(input_ is None or not is_flat(input_) for input_ in inputs) or not inputs:
            return _OPEN
        lengths = [math.prod(input_) for input_ in inputs if input_ is not None]
    return ((sum(lengths),),)


def demux(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the parts of a vector, by the stated lengths or as even as possible."""
    if item.value("BusSelectionMode", "off") == "on":
        return _OPEN
    given = widths(item, "Outputs")
    if given and all(index > 0 for index in given):
        return [(index,) for index in given]
    count = read_count(number(item, "Outputs", "4"))
    if given or count is None or count < 1 or not inputs or inputs[0] is None:
        return _OPEN
    each, more = divmod(math.prod(inputs[0]), count)
    if not is_flat(inputs[0]) or each < 1:
        return _OPEN
    return [(each + (place < more),) for place in range(count)]


def widths(item: BlockView, name: str) -> list[int]:
    """Returns the port lengths that a parameter lists; empty where it is a number of ports."""
    result = value(item, name)
    if result is None or result.rows * result.columns < 2:
        return []
    return read_counts(result) or []


def selector(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the dimensions of the selected elements."""
    dimensions = number(item, "NumberOfDimensions", "1")
    given = inputs[0] if inputs else None
    if given is None or dimensions != len(given):
        return _OPEN
    sizes = [
        find_selected_width(entry, size)
        for entry, size in zip(read_selection(item), given, strict=False)
    ]
    if len(sizes) != len(given) or any(size is None for size in sizes):
        return _OPEN
    return (tuple(size for size in sizes if size is not None),)


def reshape(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the dimensions into which the elements are rearranged."""
    wanted = item.value("OutputDimensionality", "1-D array")
    if wanted == "Customize":
        sizes = find_stated_dimensions(item)
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


def find_stated_dimensions(item: BlockView) -> Shape | None:
    """Returns the dimensions that a Reshape block states."""
    result = evaluate_literals(item.value("OutputDimensions") or "")
    sizes = read_counts(result)
    return tuple(sizes) if sizes and min(sizes) >= 1 else None


def concatenate(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the dimensions of inputs joined end to end, or of matrices side by side."""
    given = [input_ for input_ in inputs if input_ is not None]
    if not inputs or len(given) != len(inputs):
        return _OPEN
    if item.value("Mode", "Vector") == "Vector":
        flat = all(len(entry) == 1 for entry in given)
        return ((sum(entry[0] for entry in given),),) if flat else _OPEN
    along = number(item, "ConcatenateDimension", "1")
    if along not in (1, 2) or any(len(entry) != 2 for entry in given):
        return _OPEN
    place = int(along) - 1
    if len({entry[1 - place] for entry in given}) != 1:
        return _OPEN
    total, other = sum(entry[place] for entry in given), given[0][1 - place]
    return ((total, other) if place == 0 else (other, total),)


def switch(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the dimensions of the data inputs, where a scalar controls the choice."""
    if item.value("AllowDiffInputSizes", "off") != "off":
        return _OPEN
    if item.type == "MultiPortSwitch":
        first, data = inputs[:1], inputs[1:]
        if len(data) < 2:
            return _OPEN  # it selects elements of one vector
    else:
        threshold = value(item, "Threshold", "0")
        if threshold is not None and threshold.rows * threshold.columns > 1:
            return _OPEN  # the control input is a vector
        first, data = inputs[1:2], (*inputs[:1], *inputs[2:])
    if not first or first[0] is None or math.prod(first[0]) != 1:
        return _OPEN
    return (join_shapes(data),) if data else _OPEN


def merge(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the dimensions that all inputs share."""
    del item
    return (inputs[0],) if inputs and len(set(inputs)) == 1 else _OPEN


def port(item: BlockView, inputs: Shapes) -> Shapes:
    """Returns the dimensions that the block states; -1 inherits them."""
    name = "PortDimensions" if item.type == "Inport" else "Dimensions"
    sizes = read_counts(value(item, name, "-1"))
    if item.value("VarSizeSig", "Inherit") == "Yes":
        return _OPEN
    if sizes and min(sizes) >= 1:
        return (tuple(sizes),)
    return (inputs[0],) if inputs else _OPEN
