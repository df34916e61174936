"""Lengths and types of signals, propagated forward as far as they are known."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from grounded_builder.diagnostics import Diagnostic, Related, found
from grounded_builder.domains.simulink.checks.counts import counts
from grounded_builder.domains.simulink.checks.flow import Flow, Output
from grounded_builder.domains.simulink.checks.view import Item
from grounded_builder.domains.simulink.values import Refused, evaluate, parse

# Types that a parameter names outright; all others depend on what surrounds a block.
TYPES = frozenset(
    "double single half int8 uint8 int16 uint16 int32 uint32 int64 uint64 boolean".split()
)
# One input, one output of the same shape, the parameters given being single numbers.
_SAME = {
    "Abs": (),
    "Bias": ("Bias",),
    "DataTypeConversion": (),
    "Gain": ("Gain",),
    "Memory": ("InitialCondition", "X0"),
    "Saturate": ("UpperLimit", "LowerLimit"),
    "Signum": (),
    "SignalConversion": (),
    "UnaryMinus": (),
    "UnitDelay": ("InitialCondition", "X0"),
    "ZeroOrderHold": (),
    "RateTransition": ("InitialCondition", "X0"),
}
# Element by element over all inputs.
_EACH = frozenset({"Sum", "Product", "Logic", "RelationalOperator", "MinMax"})
_ALIKE = _EACH | {"Switch"}

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Signal:
    """What is known of a signal: elements by dimension, ``(n,)`` for a vector, and its type."""

    shape: Shape | None = None
    type: str | None = None


UNKNOWN = Signal()


def check_shapes(flow: Flow) -> Iterator[Diagnostic]:
    """Find blocks that work element by element on signals of provably different length or type."""
    signals = propagate(flow)
    for item in flow.blocks():
        if item.type not in _ALIKE or not item.active:
            continue
        inputs = [
            (index, source, signals.get((source[0], source[1]), UNKNOWN))
            for index in _data_inputs(item)
            if (source := flow.origin(item, index)) is not None
        ]
        if _is_elementwise(item):
            yield from _lengths(item, inputs)
        if _asks_alike(item):
            yield from _types(item, inputs)


def propagate(flow: Flow) -> dict[Output, Signal]:
    """The signal of every output of which anything is known."""
    readers: dict[Item, list[Item]] = {}
    missing: dict[Item, int] = {}
    before: dict[Item, list[Output | None]] = {}
    ready: deque[Item] = deque()
    for item in flow.blocks():
        sources = [flow.origin(item, index) for index in range(1, _inputs(item) + 1)]
        before[item] = sources
        behind = {source[0] for source in sources if source is not None}
        missing[item] = len(behind)
        for one in behind:
            readers.setdefault(one, []).append(item)
        if not behind:
            ready.append(item)
    signals: dict[Output, Signal] = {}
    while ready:  # what lies in a circle is never ready, and stays unknown
        item = ready.popleft()
        inputs = [
            signals.get(source, UNKNOWN) if source is not None else UNKNOWN
            for source in before[item]
        ]
        made = _made(item, inputs)
        if made != UNKNOWN:
            signals[item, 1] = made
        for reader in readers.get(item, ()):
            missing[reader] -= 1
            if not missing[reader]:
                ready.append(reader)
    return signals


def _made(item: Item, inputs: list[Signal]) -> Signal:
    """The output of a block, of what arrives."""
    kind = item.type
    named = item.value("OutDataTypeStr") or ""
    type_ = named if named in TYPES else None
    if kind == "Constant":
        return Signal(_constant(item), type_)
    if kind in _SAME and len(inputs) == 1:
        if named == "Inherit: Same as input" or kind in ("UnitDelay", "Memory", "ZeroOrderHold"):
            type_ = inputs[0].type
        scalar = all(_is_scalar(item.given.get(name, "0")) for name in _SAME[kind])
        return Signal(inputs[0].shape if scalar else None, type_)
    if kind == "Mux":
        lengths = [prod(one.shape) for one in inputs if one.shape is not None and _is_flat(one)]
        whole = len(lengths) == len(inputs) > 0
        return Signal((sum(lengths),) if whole else None, None)
    if kind in _EACH and len(inputs) > 1 and _is_elementwise(item):
        shapes = [one.shape for one in inputs]
        if all(shape is not None for shape in shapes):
            return Signal(max((s for s in shapes if s is not None), key=prod), type_)
    if kind in ("Logic", "RelationalOperator"):
        return Signal(None, type_)
    return Signal(None, type_) if kind in _EACH else UNKNOWN


def _is_flat(signal: Signal) -> bool:
    return signal.shape is not None and sum(size > 1 for size in signal.shape) <= 1


def _constant(item: Item) -> Shape | None:
    try:
        known = evaluate(parse(item.value("Value") or ""))
    except Refused:
        return None
    if known is None or known.of_text:
        return None
    if (known.rows == 1 or known.columns == 1) and item.value("VectorParams1D", "on") == "on":
        return (known.rows * known.columns,)
    return (known.rows, known.columns)


def _is_scalar(text: str) -> bool:
    try:
        known = evaluate(parse(text))
    except Refused:
        return False
    return known is not None and known.rows == known.columns == 1


def _inputs(item: Item) -> int:
    return (counts(item) or {}).get("in", 0) if item.opaque is None else 0


def _data_inputs(item: Item) -> list[int]:
    """The inputs that must be alike: a switch compares its middle one with a number."""
    return [1, 3] if item.type == "Switch" else list(range(1, _inputs(item) + 1))


def _is_elementwise(item: Item) -> bool:
    """Whether a block takes all inputs element by element."""
    if item.type == "Product":
        return item.value("Multiplication", "Element-wise(.*)") == "Element-wise(.*)"
    return item.type != "Switch" and _inputs(item) > 1


def _lengths(item: Item, inputs: list[tuple[int, Output, Signal]]) -> Iterator[Diagnostic]:
    """Single numbers go with everything; of all others the shapes are the same."""
    known = [(index, source, one.shape) for index, source, one in inputs if one.shape is not None]
    wide = [one for one in known if prod(one[2]) > 1]
    for index, source, shape in wide[1:]:
        first_index, first, first_shape = wide[0]
        if _fit(shape, first_shape):
            continue
        yield found(
            "SLX331",
            item.at,
            f'input {first_index} of "{item.name}" has {_spoken(first_shape)} elements '
            f"and input {index} has {_spoken(shape)}",
            help="give both signals the same number of elements",
            node=item.name,
            related=[Related(first[0].at, "made here"), Related(source[0].at, "and here")],
        )
        return


def _asks_alike(item: Item) -> bool:
    """Whether the file itself asks for inputs of one type: the default differs by release."""
    said = item.parameters()
    return "on" in (said.get("InputSameDT"), said.get("AllPortsSameDT"))


def _fit(one: Shape, other: Shape) -> bool:
    if len(one) == len(other) == 2 and min(*one, *other) > 1:
        return one == other
    return prod(one) == prod(other)


def _spoken(shape: Shape) -> str:
    return " by ".join(map(str, shape))


def _types(item: Item, inputs: list[tuple[int, Output, Signal]]) -> Iterator[Diagnostic]:
    known = [(index, source, one.type) for index, source, one in inputs if one.type is not None]
    for index, source, type_ in known[1:]:
        first_index, first, first_type = known[0]
        if type_ == first_type:
            continue
        yield found(
            "SLX332",
            item.at,
            f'input {first_index} of "{item.name}" is {first_type} and input {index} is {type_}, '
            "and the block takes inputs of one type",
            help="convert one of them, or let the block take different types",
            node=item.name,
            related=[Related(first[0].at, "made here"), Related(source[0].at, "and here")],
        )
        return
