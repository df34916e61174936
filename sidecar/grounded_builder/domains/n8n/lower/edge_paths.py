"""Computes where n8n's editor draws an edge: its range of x, and its height at any part of it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

# In pixels: an edge that leads back by more than 20 goes 40 to the side and 130 down.
_BACK, _ASIDE, BACK_DEPTH = 20, 40, 130
_SAMPLES = 64
# The share of the width and of the height that a Bezier curve has covered, with control points
# at half the width.
_CURVE = tuple(
    (1.5 * t * (1 - t) + t**3, 3 * t * t - 2 * t**3)
    for t in (i / _SAMPLES for i in range(_SAMPLES + 1))
)
_WIDTHS = tuple(x for x, _ in _CURVE)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of an edge over a range of x.

    Its height lies between two shares of the way from its source to its target. A piece of an
    edge that leads back is drawn under its source, and includes the vertical piece at either end.
    """

    first: float
    last: float
    is_back: bool = False

    def span(self, source: int, target: int) -> tuple[float, float]:
        """Returns the least and the greatest height, from the heights of both ends."""
        if self.is_back:
            heights: list[float] = [source + BACK_DEPTH]
            heights += [source] if self.first else []
            heights += [target] if self.last else []
            return min(heights), max(heights)
        first = source + (target - source) * self.first
        last = source + (target - source) * self.last
        return (first, last) if first <= last else (last, first)


def leads_back(start: int, end: int) -> bool:
    """Returns whether an edge between these two places goes around."""
    return start - _BACK > end


def reach(start: int, end: int) -> tuple[int, int]:
    """Returns the range of x that an edge covers."""
    return (end - _ASIDE, start + _ASIDE) if leads_back(start, end) else (start, max(start, end))


def stretch(start: int, end: int, left: int, right: int) -> Stretch | None:
    """Returns the piece of an edge between two values of x; None if there is none."""
    least, most = reach(start, end)
    if most <= left or least >= right:
        return None
    if leads_back(start, end):
        # The vertical pieces are at both ends of the range.
        return Stretch(left < most < right, left < least < right, is_back=True)
    width = max(1, most - least)
    return Stretch(_share((left - least) / width), _share((right - least) / width))


def _share(width: float) -> float:
    if width <= 0:
        return 0.0
    if width >= 1:
        return 1.0
    index = bisect_left(_WIDTHS, width)
    (x1, y1), (x2, y2) = _CURVE[index - 1], _CURVE[index]
    return y1 + (y2 - y1) * (width - x1) / (x2 - x1)
