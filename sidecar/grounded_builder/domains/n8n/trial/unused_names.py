"""Generates unused names for the nodes that a trial adds."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """The names in use; every new one is unused, and recorded with the node it belongs to."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self.owner: dict[str, str] = {}

    def beside(self, name: str, role: str) -> str:
        """Returns an unused name for a node that does something for another."""
        new = f"{name} ({role})"
        number = 2
        while new in self._taken:
            new = f"{name} ({role} {number})"
            number += 1
        self._taken.add(new)
        self.owner[new] = name
        return new
