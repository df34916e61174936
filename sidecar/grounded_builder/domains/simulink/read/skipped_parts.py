"""What of a file is not understood, counted so that nothing is dropped in silence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Unread:
    """Counts by what it is, such as ``Block/List``, in the words of the file."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, what: str, times: int = 1) -> None:
        """Count a part of the file that is left out."""
        self.counts[what] += times

    def told(self, most: int = 12) -> str:
        """The counts in one line, most frequent first."""
        ordered = sorted(self.counts.items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{count:,} {what}" for what, count in ordered[:most])
        rest = len(ordered) - most
        return f"{shown} and {rest:,} more kinds" if rest > 0 else shown
