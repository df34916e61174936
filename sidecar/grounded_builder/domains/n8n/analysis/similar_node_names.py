"""Finds the nodes of a workflow whose names resemble an unknown name."""

from __future__ import annotations

from collections.abc import Collection

from grounded_builder.catalog.likeness import NearestNames, without_spaces


class NodeNames:
    """The names of a workflow's nodes; the number of similarity searches is limited."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._folded: dict[str, list[str]] | None = None
        self._nearest = NearestNames(names)

    def match_spelling(self, name: str) -> str | None:
        """Returns the only name that differs just in case and spaces, None otherwise."""
        if self._folded is None:
            self._folded = {}
            for known in self._names:
                self._folded.setdefault(without_spaces(known), []).append(known)
        matches = self._folded.get(without_spaces(name), [])
        return matches[0] if len(matches) == 1 and without_spaces(name) else None

    def near(self, name: str) -> tuple[str, ...]:
        """Returns the most similar names, best first."""
        return self._nearest.near(name)
