"""Defines the properties of a signal (type, shape, rate); joins and compares signal shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Elements by dimension: ``(n,)`` for a vector, ``(1,)`` for a scalar, ``(rows, columns)``.
Shape = tuple[int, ...]

# Types that a parameter can name directly; all others depend on the context of a block.
TYPES = frozenset(
    "double single half int8 uint8 int16 uint16 int32 uint32 int64 uint64 boolean".split()
)


@dataclass(frozen=True, slots=True)
class Rate:
    """A sample time in seconds: 0 is continuous, infinity is constant, any other is a period."""

    period: float
    offset: float = 0.0

    @property
    def is_discrete(self) -> bool:
        """Returns whether it is a period."""
        return 0 < self.period < math.inf


CONTINUOUS = Rate(0.0)
CONSTANT = Rate(math.inf)


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal by its three properties, each None while it is unknown."""

    shape: Shape | None = None
    type: str | None = None
    rate: Rate | None = None

    def fill_unknown(self, other: Signal) -> Signal:
        """Returns this signal with its unknown properties taken from the other.

        Known properties never change.
        """
        return Signal(
            self.shape if self.shape is not None else other.shape,
            self.type if self.type is not None else other.type,
            self.rate if self.rate is not None else other.rate,
        )


UNKNOWN = Signal()


def is_flat(shape: Shape) -> bool:
    """Returns whether a shape is a vector, or a matrix of one row or one column."""
    return sum(size != 1 for size in shape) <= 1


def can_fit(shape: Shape, other: Shape) -> bool:
    """Returns whether two signals can be combined element by element.

    A scalar goes with everything, a vector with a row or a column of its length.
    """
    if math.prod(shape) == 1 or math.prod(other) == 1:
        return True
    if len(shape) == len(other):
        return shape == other
    vector, matrix = (shape, other) if len(shape) == 1 else (other, shape)
    return is_flat(matrix) and math.prod(vector) == math.prod(matrix)


def can_never_fit(shape: Shape, other: Shape) -> bool:
    """Returns whether no release can combine two signals element by element.

    With implicit expansion a row goes with a column, and a vector with rows or columns of its
    length.
    """
    if can_fit(shape, other):
        return False
    if len(shape) == len(other) == 1:
        return True
    if len(shape) == len(other):
        return any(a != b and 1 not in (a, b) for a, b in zip(shape, other, strict=True))
    vector, matrix = (shape, other) if len(shape) == 1 else (other, shape)
    return vector[0] not in matrix


def join_shapes(shapes: Sequence[Shape | None]) -> Shape | None:
    """Returns the shape of signals combined element by element; None unless all are known and fit.

    A matrix makes the output a matrix.
    """
    best: Shape = (1,)
    for shape in shapes:
        if shape is None or not can_fit(best, shape):
            return None
        if math.prod(shape) > math.prod(best) or (
            math.prod(shape) == math.prod(best) and len(shape) > len(best)
        ):
            best = shape
    return best
