"""The names of a workflow's nodes, asked for by names that are none of them."""

from __future__ import annotations

from collections.abc import Collection

from grounded_builder.catalog.likeness import find_nearest, without_spaces

_ASKED = 40


class Names:
    """Answers in bounded time: after forty searches for likeness it gives none."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._folded: dict[str, list[str]] | None = None
        self._near: dict[str, tuple[str, ...]] = {}

    def respelled(self, name: str) -> str | None:
        """Returns the one name that differs by case and spaces only; None when it is
        not just one.
        """
        if self._folded is None:
            self._folded = {}
            for known in self._names:
                self._folded.setdefault(without_spaces(known), []).append(known)
        results = self._folded.get(without_spaces(name), [])
        return results[0] if len(results) == 1 and without_spaces(name) else None

    def near(self, name: str) -> tuple[str, ...]:
        """Returns the names most like this one, best first."""
        if name not in self._near:
            if len(self._near) >= _ASKED:
                return ()
            self._near[name] = find_nearest(name, self._names)
        return self._near[name]
