"""Filters of a higher order than the pattern of their name has."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.text import Text

_TRANSFER = "simulink/Continuous/Transfer Fcn"
_ORDERS = {
    **dict.fromkeys("first 1st".split(), 1),
    **dict.fromkeys("second 2nd two".split(), 2),
    **dict.fromkeys("third 3rd three".split(), 3),
    **dict.fromkeys("fourth 4th four".split(), 4),
    **dict.fromkeys("fifth 5th five".split(), 5),
    **dict.fromkeys("sixth 6th six".split(), 6),
}
_SAID = "|".join(_ORDERS)
_BEFORE = re.compile(
    rf"\b(?P<order>{_SAID})[- ]order\s+(?P<kind>butterworth\s+)?(?:analog(?:ue)?\s+)?$"
    rf"|\bbutterworth\s+(?:(?P<late>{_SAID})[- ]order\s+)?$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"^[\s,]*(?:filter\s+)?of (?:the )?(?P<order>{_SAID})[- ]order\b", re.IGNORECASE
)
_LOW, _HIGH = "Low-Pass Filter", "High-Pass Filter"


def ordered(text: Text, mentions: Sequence[Mention], lexicon: Lexicon) -> list[tuple[int, int]]:
    """Make filters of the order that is told, where their cut-off is; the spans that say so.

    A filter of a higher order is the one of Butterworth, the flattest in its pass band.
    """
    taken: list[tuple[int, int]] = []
    for one in mentions:
        if one.spec.name not in (_LOW, _HIGH):
            continue
        before = _BEFORE.search(text.before(one.start, 40))
        behind = _BEHIND.search(text.after(one.end, 40))
        if before is None and behind is None:
            continue
        said = next(
            found["order"] or found.groupdict().get("late")
            for found in (before, behind)
            if found is not None
        )
        order = _ORDERS[said.casefold()] if said else 1
        cutoff = one.params.get("cutoff")
        if not said or (order > 1 and cutoff is None):
            continue
        if before is not None:
            taken.append((one.start - len(before[0]), one.start))
        if behind is not None:
            taken.append((one.end, one.end + behind.end()))
        if order > 1:
            named = before is not None and "butterworth" in before[0].casefold()
            _raise(one, order, f"2*pi*{cutoff}", lexicon)
            one.note = "" if named else f"a Butterworth filter of order {order} was taken"
    return taken


def _raise(one: Mention, order: int, radians: str, lexicon: Lexicon) -> None:
    """Make a filter a transfer function of an order."""
    powers = ["", f"*({radians})", *(f"*({radians})^{n}" for n in range(2, order + 1))]
    numbers = [f"{number:.10g}" for number in _flat(order)]
    below = [f"{a}{b}".removeprefix("1*") for a, b in zip(numbers, powers, strict=True)]
    low = one.spec.name == _LOW
    above = [f"({radians})^{order}"] if low else ["1", *["0"] * order]
    one.tool, one.spec = _TRANSFER, lexicon.spec(_TRANSFER)
    one.params.clear()
    one.params |= {"Numerator": f"[{' '.join(above)}]", "Denominator": f"[{' '.join(below)}]"}


def _flat(order: int) -> list[float]:
    """The polynomial of Butterworth, the highest power first; it reads the same both ways."""
    # Each factor follows from the one before: a(k+1)/a(k) = cos(k*g)/sin((k+1)*g), g = pi/2/n.
    found = [1.0]
    step = math.pi / (2 * order)
    for k in range(order):
        found.append(found[-1] * math.cos(k * step) / math.sin((k + 1) * step))
    return found
