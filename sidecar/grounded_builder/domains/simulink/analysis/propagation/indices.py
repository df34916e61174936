"""Determines the elements that a Selector block selects in each dimension, or their number."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.domains.simulink.analysis.model_view import BlockView
from grounded_builder.domains.simulink.analysis.propagation.values import (
    evaluate_literals,
    read_counts,
)

_DEFAULT = "Index vector (dialog)"


@dataclass(frozen=True, slots=True)
class Selection:
    """The selection in one dimension: ``elements`` counted from 1, or their number.

    ``every`` selects all elements. All fields are None where the file does not determine them.
    """

    every: bool = False
    elements: tuple[int, ...] | None = None
    count: int | None = None


def read_selection(item: BlockView) -> list[Selection]:
    """Returns the selection of a Selector by dimension; empty where it is not known."""
    indices = _split_list(item.value("Indices"))
    options = _split_list(item.value("IndexOptions"))
    if not options and item.value("IndexOptionArray") == _DEFAULT and len(indices) == 1:
        # A single dimension uses the index vector of the dialog by default.
        options = [_DEFAULT]
    sizes = _split_list(item.value("OutputSizes"))
    first = 0 if item.value("IndexMode", "One-based") == "Zero-based" else 1
    if not options or len(indices) != len(options):
        return []
    return [
        _read_dimension(option, indices[at], sizes[at] if at < len(sizes) else "", first)
        for at, option in enumerate(options)
    ]


def find_selected_width(selection: Selection, width: int) -> int | None:
    """Returns the number of elements selected from a signal of this width."""
    if selection.every:
        return width
    return len(selection.elements) if selection.elements is not None else selection.count


def _read_dimension(option: str, index: str, size: str, first: int) -> Selection:
    if option == "Select all":
        return Selection(every=True)
    if option == "Index vector (dialog)":
        results = read_counts(evaluate_literals(index))
        return (
            Selection(elements=tuple(number + 1 - first for number in results))
            if results
            else Selection()
        )
    if option in ("Starting index (dialog)", "Starting index (port)"):
        counts, start = read_counts(evaluate_literals(size)), read_counts(evaluate_literals(index))
        if not counts or len(counts) != 1 or counts[0] < 1:
            return Selection()
        count = counts[0]
        if option.endswith("(port)") or not start or len(start) != 1:
            return Selection(count=count)
        begin = start[0] + 1 - first
        return Selection(elements=tuple(range(begin, begin + count)))
    return Selection()


def _split_list(text: str | None) -> list[str]:
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
