"""Finds the texts that JavaScript code passes to ``$()`` by a variable, such as by a helper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass

from grounded_builder.domains.n8n.expressions.mask_literals import mask_literals

# In an outline, the contents of a string are blank.
_TOKEN = re.compile(
    r"[^\W\d][\w$]*|\$[\w$]*|\d[\w.]*|(?P<quote>['\"`])\s*(?P=quote)|=>|\?\.|\.\.\.|\S"
)
_MAY_COMPUTE = re.compile(r"\$(?:items)?\s*\(\s*[^\s'\")]|\$node\s*\[\s*[^\s'\"\]]")
_BINDS = frozenset({"const", "let", "var"})
_MEMBER = frozenset({".", "?."})
_OPENS = {"$": "(", "$items": "(", "$node": "["}
_QUOTES = frozenset("'\"`")


@dataclass(frozen=True, slots=True)
class PassedName:
    """A string in code; ``start`` and ``end`` bound it without its quotes.

    ``is_passed`` is whether the code uses it only as the name of a node.
    """

    text: str
    start: int
    end: int
    quote: str
    is_passed: bool


def find_passed_names(code: str, names: Container[str]) -> tuple[PassedName, ...]:
    """Returns the strings of code with one of these texts that can reach a computed ``$()``.

    A helper ``(name) => $(name)``, a loop over a list of names and a constant are followed. Where
    ``$()`` has an argument of another kind, any string with one of the texts can reach it.
    """
    if _MAY_COMPUTE.search(code) is None:
        return ()
    reading = _Reading(code)
    strings = {
        index: text for index, text in reading.strings() if text in names and "\\" not in text
    }
    if not strings or not reading.uses:
        return ()
    passed: dict[int, bool] = {}
    explained: set[str] = set()
    for variable in reading.variables:
        places, declared = reading.texts_of(variable)
        is_clean = reading.has_no_other_use(variable, declared)
        if places:
            explained.add(variable)
        for place in places:
            passed[place] = passed.get(place, True) and is_clean
    if explained.issuperset(reading.uses):
        strings = {index: text for index, text in strings.items() if index in passed}
    return tuple(
        PassedName(text, start + 1, end - 1, code[start], passed.get(index, False))
        for index, text in strings.items()
        if not reading.is_direct(index)
        for start, end in (reading.spans[index],)
    )


class _Reading:
    """The tokens of code; ``uses`` are the arguments of computed references, "" if no variable."""

    def __init__(self, code: str) -> None:
        self._code = code
        matches = list(_TOKEN.finditer(mask_literals(code)))
        self.spans = [match.span() for match in matches]
        self._tokens = [match.group() for match in matches]
        self.uses = [
            argument if self._is_name(place) and self._at(place + 1) in (")", "]", ",") else ""
            for place, argument in self._arguments()
            if argument[:1] not in _QUOTES or self._at(place + 1) not in (")", "]", ",")
        ]
        self._uses_by_variable = Counter(self.uses)
        self.variables = [variable for variable in self._uses_by_variable if variable]
        self._helpers: set[str] = set()
        self._indexes: dict[str, list[int]] = {}
        for index, token in enumerate(self._tokens):
            self._indexes.setdefault(token, []).append(index)

    def strings(self) -> Iterator[tuple[int, str]]:
        """Yields each string with its contents as they are written."""
        for index, token in enumerate(self._tokens):
            if token[0] in _QUOTES and len(token) > 1:
                start, end = self.spans[index]
                yield index, self._code[start + 1 : end - 1]

    def is_direct(self, index: int) -> bool:
        """Returns whether a string is the argument of a reference."""
        root = self._at(index - 2)
        return _OPENS.get(root) == self._at(index - 1)

    def has_no_other_use(self, variable: str, declared: int) -> bool:
        """Returns whether a variable occurs only in its declarations and computed references."""
        places = self._indexes[variable]
        occurrences = sum(self._at(index - 1) not in _MEMBER for index in places)
        return occurrences == declared + self._uses_by_variable[variable]

    def texts_of(self, variable: str) -> tuple[list[int], int]:
        """Returns the strings that a variable can have, and how often it is declared."""
        places: list[int] = []
        declared = 0
        for index in self._indexes[variable]:
            texts = self._texts_at(index)
            if texts is not None:
                declared += 1
                places += texts
        return places, declared

    def _texts_at(self, index: int) -> list[int] | None:
        """Returns the strings of the declaration at a token, None if there is none."""
        before, after = self._at(index - 1), self._at(index + 1)
        if before in _BINDS and after == "=":
            return [index + 2] if self._is_string(index + 2) else []
        if before in _BINDS and after == "of":
            return self._list_after(index + 2)
        if before == "(" and "function" in (self._at(index - 2), self._at(index - 3)):
            named = self._at(index - 2) != "function"
            return self._calls_of(index - 2) if named else self._texts_for(index - 2)
        is_bare = after == "=>"
        start = index if is_bare else index - 1
        if not is_bare and (before != "(" or self._at(self._find_closing(start) + 1) != "=>"):
            return None
        return self._texts_for(start)

    def _texts_for(self, start: int) -> list[int]:
        """Returns the strings passed to the function that begins at a token."""
        start -= self._at(start - 1) == "async"
        if self._at(start - 1) == "=" and self._at(start - 3) in _BINDS:
            return self._calls_of(start - 2)
        return self._list_before(start - 1)

    def _calls_of(self, index: int) -> list[int]:
        """Returns the strings that the calls of a function have as their first argument.

        Those of a name that several functions have are returned once.
        """
        places: list[int] = []
        name = self._tokens[index]
        calls = [] if name in self._helpers else self._indexes[name]
        self._helpers.add(name)
        for call in calls:
            if self._at(call - 1) in _MEMBER:
                continue
            if self._at(call + 1) == "(" and self._is_string(call + 2):
                places += [call + 2] if self._at(call + 3) in (",", ")") else []
            elif self._at(call - 1) == "(" and self._at(call + 1) == ")":
                places += self._list_before(call - 1)
        return places

    def _list_before(self, index: int) -> list[int]:
        """Returns the strings of a list whose method is called by the parenthesis at a token."""
        is_method = self._at(index) == "(" and self._at(index - 2) in _MEMBER
        if not is_method or self._at(index - 3) != "]":
            return []
        place = index - 4
        while self._is_string(place) or self._at(place) == ",":
            place -= 1
        return self._list_after(place)

    def _list_after(self, index: int) -> list[int]:
        """Returns the strings of the list that begins at a token, [] if it has anything else."""
        places: list[int] = []
        place = index + 1
        while self._is_string(place) or self._at(place) == ",":
            places += [place] if self._is_string(place) else []
            place += 1
        return places if self._at(index) == "[" and self._at(place) == "]" else []

    def _arguments(self) -> Iterator[tuple[int, str]]:
        """Yields the first token of each argument of a reference."""
        for index, token in enumerate(self._tokens):
            is_root = token in _OPENS and self._at(index - 1) not in _MEMBER
            if is_root and self._at(index + 1) == _OPENS[token] and self._at(index + 2):
                yield index + 2, self._at(index + 2)

    def _find_closing(self, start: int) -> int:
        """Returns the end of a flat list of parameters."""
        place = start + 1
        while self._at(place) not in ("", "(", ")"):
            place += 1
        return place

    def _at(self, index: int) -> str:
        return self._tokens[index] if 0 <= index < len(self._tokens) else ""

    def _is_string(self, index: int) -> bool:
        token = self._at(index)
        return len(token) > 1 and token[0] in _QUOTES

    def _is_name(self, index: int) -> bool:
        return self._at(index)[:1].isalpha() or self._at(index)[:1] == "_"
