"""What is left of conditions at the root level once some of its values are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.visibility import FAILS, HOLDS, Condition, Test

# What known values say about a test: nothing, yes, no, or that n8n asks no further.
OPEN: Final = 0
MET: Final = 1
UNMET: Final = 2
ENDED: Final = 3


class Known:
    """Some values of the root level; each test is asked once of them, however many share it."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._shows: dict[int, int] = {}
        self._hides: dict[int, int] = {}
        self._asked: dict[str, list[int]] = {}

    def changed(self, name: str) -> None:
        """Forget what was said of one value: it is another now."""
        for test in self._asked.pop(name, ()):
            self._shows.pop(test, None)
            self._hides.pop(test, None)

    def shows(self, test: Test) -> int:
        """Returns what a test of ``show`` comes to; an expression in it ends the asking."""
        show = self._shows.get(id(test))
        if show is None:
            show = self._shows[id(test)] = self._show(test)
        return show

    def narrow(self, condition: Condition) -> Condition | bool:
        """Returns the rest of a condition, which answers as the whole one does."""
        show: list[Test] = []
        for test in condition.show:
            shows = self.shows(test)
            if shows is MET:
                continue
            if shows is OPEN:
                show.append(test)
            elif shows is UNMET:
                return Condition((*show, FAILS), ()) if show else False
            else:
                return Condition(tuple(show), ()) if show else True
        if not condition.hide:
            if len(show) == len(condition.show):
                return condition
            return Condition(tuple(show), ()) if show else True
        return self._hidden(tuple(show), condition.hide)

    def _hidden(self, show: tuple[Test, ...], tests: tuple[Test, ...]) -> Condition | bool:
        hide: list[Test] = []
        for test in tests:
            value = self._hides.get(id(test))
            if value is None:
                value = self._hides[id(test)] = self._hide(test)
            if value is OPEN:
                hide.append(test)
            elif value is MET:
                if not show:
                    return False
                hide = [test if test.path is None else HOLDS]
                break
        return Condition(show, tuple(hide)) if show or hide else True

    def _show(self, test: Test) -> int:
        if not self._knows(test):
            return OPEN
        value = test.value(self._values, self._values)
        if value.__class__ is list:
            if any(is_expression(item) for item in value):
                return ENDED
            return MET if test.wanted.met_by(value) else UNMET
        if is_expression(value):
            return ENDED
        return MET if test.wanted.met_by_one(value) else UNMET

    def _hide(self, test: Test) -> int:
        if not self._knows(test):
            return OPEN
        value = test.value(self._values, self._values)
        if value.__class__ is list:
            return MET if value and test.wanted.met_by(value) else UNMET
        return MET if test.wanted.met_by_one(value) else UNMET

    def _knows(self, test: Test) -> bool:
        """Returns whether the value that a test asks for is known; what it is asked of is noted."""
        path = test.path
        if path is None:
            return True
        self._asked.setdefault(path, []).append(id(test))
        return path in self._values
