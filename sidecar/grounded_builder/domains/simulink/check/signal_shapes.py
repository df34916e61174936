"""Reports signals of different length or type at element-wise blocks; formats dimensions."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation import Shape, Signal, Signals
from grounded_builder.domains.simulink.analysis.propagation.signal import can_never_fit
from grounded_builder.domains.simulink.analysis.propagation.sizes import ELEMENTWISE
from grounded_builder.domains.simulink.analysis.signal_sources import Output

UNEQUAL_LENGTHS = Rule.wrong(
    "SLX331", "unequal-lengths", "TypeMismatch", "Signals have different lengths."
)
UNEQUAL_TYPES = Rule.wrong(
    "SLX332", "unequal-types", "TypeMismatch", "Signals have different types."
)

# Blocks that combine all inputs element by element.
_EACH = frozenset({"Sum", "Product", "Logic", "RelationalOperator", "MinMax", "DotProduct"})
# Blocks whose inputs must have one type whatever the parameters are.
_OF_ONE_TYPE = frozenset({"DataTypeDuplicate", "Merge"})
_CHOOSING = frozenset({"Switch", "MultiPortSwitch"})
_JUDGED = _EACH | _CHOOSING | _OF_ONE_TYPE
# The rules for two dimensions are not known for these blocks: only vectors are compared.
_BY_LENGTH = frozenset({"DotProduct"})

# The number of an input, its source, and its signal.
Arriving = tuple[int, Output, Signal]


def check_shapes(signals: Signals) -> Iterator[Diagnostic]:
    """Finds blocks that work element by element on signals that do not match."""
    for item in signals.sources:
        if item.type not in _JUDGED:
            continue
        inputs = _list_inputs(item, signals)
        if _is_elementwise(item, len(signals.sources[item])):
            yield from _lengths(item, inputs)
        if _requires_one_type(item):
            yield from _types(item, inputs)


def _list_inputs(item: BlockView, signals: Signals) -> list[Arriving]:
    """Returns the inputs that must match; the control input of a switch is left out."""
    choosing = {"Switch": 2, "MultiPortSwitch": 1}.get(item.type)
    return [
        (index, source, signals.of(source))
        for index, source in enumerate(signals.sources[item], 1)
        if source is not None and index != choosing
    ]


def _is_elementwise(item: BlockView, inputs: int) -> bool:
    """Returns whether a block combines all inputs element by element."""
    if item.type in _CHOOSING:
        return item.value("AllowDiffInputSizes", "off") == "off" and inputs > 1
    if item.type in _OF_ONE_TYPE:
        return item.type == "Merge" and item.value("AllowUnequalInputPortWidths", "off") == "off"
    if item.type == "Product":
        return item.value("Multiplication", ELEMENTWISE + "(.*)") == ELEMENTWISE + "(.*)"
    return inputs > 1


def _lengths(item: BlockView, inputs: list[Arriving]) -> Iterator[Diagnostic]:
    """Finds inputs of different shapes; scalars match every shape."""
    known = [
        (index, source, signal.shape)
        for index, source, signal in inputs
        if signal.shape is not None
    ]
    wide = [entry for entry in known if prod(entry[2]) > 1]
    for index, source, shape in wide[1:]:
        first_index, first, first_shape = wide[0]
        by_length = item.type in _BY_LENGTH and prod(shape) == prod(first_shape)
        if by_length or not can_never_fit(shape, first_shape):
            continue
        yield new_diagnostic(
            UNEQUAL_LENGTHS,
            item.at,
            f'input {first_index} of "{item.name}" has {format_shape(first_shape)} elements '
            f"and input {index} has {format_shape(shape)}",
            help="give both signals the same number of elements",
            node=item.name,
            related=[Related(first[0].at, "made here"), Related(source[0].at, "and here")],
        )
        return


def _requires_one_type(item: BlockView) -> bool:
    """Returns whether the file itself requires inputs of one type; the default is not fixed."""
    parameters = item.parameters()
    return item.type in _OF_ONE_TYPE or "on" in (
        parameters.get("InputSameDT"),
        parameters.get("AllPortsSameDT"),
    )


def format_shape(shape: Shape) -> str:
    """Returns dimensions as text, such as "3" or "2 by 3"."""
    return " by ".join(map(str, shape))


def _types(item: BlockView, inputs: list[Arriving]) -> Iterator[Diagnostic]:
    known = [
        (index, source, signal.type) for index, source, signal in inputs if signal.type is not None
    ]
    for index, source, type_ in known[1:]:
        first_index, first, first_type = known[0]
        if type_ == first_type:
            continue
        yield new_diagnostic(
            UNEQUAL_TYPES,
            item.at,
            f'input {first_index} of "{item.name}" is {first_type} and input {index} is {type_}, '
            "and the block requires inputs of one type",
            help="convert one of them, or allow different types in the block",
            node=item.name,
            related=[Related(first[0].at, "made here"), Related(source[0].at, "and here")],
        )
        return
