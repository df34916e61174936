"""Determines the elements that a Selector block selects."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.values import known, wholes

_DEFAULT = "Index vector (dialog)"


@dataclass(frozen=True, slots=True)
class Picked:
    """The selection in one dimension: ``elements`` counted from 1, or their number.

    ``every`` selects all elements. All fields are None where the file does not determine them.
    """

    every: bool = False
    elements: tuple[int, ...] | None = None
    count: int | None = None


def picked(item: BlockView) -> list[Picked]:
    """Returns the selection of a Selector by dimension; empty where it is not known."""
    indices = _parts(item.value("Indices"))
    options = _parts(item.value("IndexOptions"))
    if not options and item.value("IndexOptionArray") == _DEFAULT and len(indices) == 1:
        # A single dimension uses the index vector of the dialog by default.
        options = [_DEFAULT]
    sizes = _parts(item.value("OutputSizes"))
    first = 0 if item.value("IndexMode", "One-based") == "Zero-based" else 1
    if not options or len(indices) != len(options):
        return []
    return [
        _one(option, indices[at], sizes[at] if at < len(sizes) else "", first)
        for at, option in enumerate(options)
    ]


def width_of(one: Picked, width: int) -> int | None:
    """Returns the number of elements selected from a signal of this width."""
    if one.every:
        return width
    return len(one.elements) if one.elements is not None else one.count


def _one(option: str, index: str, size: str, first: int) -> Picked:
    if option == "Select all":
        return Picked(every=True)
    if option == "Index vector (dialog)":
        results = wholes(known(index))
        return (
            Picked(elements=tuple(number + 1 - first for number in results))
            if results
            else Picked()
        )
    if option in ("Starting index (dialog)", "Starting index (port)"):
        counts, start = wholes(known(size)), wholes(known(index))
        if not counts or len(counts) != 1 or counts[0] < 1:
            return Picked()
        count = counts[0]
        if option.endswith("(port)") or not start or len(start) != 1:
            return Picked(count=count)
        begin = start[0] + 1 - first
        return Picked(elements=tuple(range(begin, begin + count)))
    return Picked()


def _parts(text: str | None) -> list[str]:
    """Splits a list at its commas, except for commas inside brackets."""
    if text is None or not text.strip():
        return []
    parts, depth, start = [], 0, 0
    for mark in re.finditer(r"[\[\](),]", text):
        if mark[0] in "[(":
            depth += 1
        elif mark[0] in "])":
            depth -= 1
        elif not depth:
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
    return [*parts, text[start:].strip()]
