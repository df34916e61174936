"""Makes names unique by numbers, in time that grows with the count of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable


class UniqueNames:
    """Names in use; ``claim`` returns an unused one and records it.

    ``fold`` maps a name to what must be unique. A name in use gets the next number from ``first``
    behind ``separator``; the search goes on where it ended for the same name before.
    """

    def __init__(
        self,
        taken: Iterable[str] = (),
        *,
        first: int = 2,
        separator: str = " ",
        fold: Callable[[str], str] = str.casefold,
    ) -> None:
        self._first = first
        self._separator = separator
        self._fold = fold
        self._taken = {fold(name) for name in taken}
        self._next: dict[str, int] = {}

    def __contains__(self, name: str) -> bool:
        return self._fold(name) in self._taken

    def claim(self, name: str) -> str:
        """Returns the name, or the name with the first free number, and records it as used."""
        unique, folded = name, self._fold(name)
        if folded in self._taken:
            number = self._next.get(folded, self._first)
            while (unique := f"{name}{self._separator}{number}") in self:
                number += 1
            self._next[folded] = number + 1
        self._taken.add(self._fold(unique))
        return unique
