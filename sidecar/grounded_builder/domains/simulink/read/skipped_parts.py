"""Counts the parts of a file that are not supported, so that none is dropped silently."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SkippedParts:
    """Counts of unsupported parts by kind, such as ``Block/List``, as the file names them."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, times: int = 1) -> None:
        """Counts a part of the file that is omitted."""
        self.counts[what] += times

    def summarize(self, most: int = 12) -> str:
        """Returns the counts in one line, the most frequent first."""
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{count:,} {what}" for what, count in ordered[:most])
        rest = len(ordered) - most
        return f"{shown} and {rest:,} more kinds" if rest > 0 else shown
