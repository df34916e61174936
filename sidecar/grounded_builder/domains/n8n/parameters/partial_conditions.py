"""Decides display conditions of parameters as far as the known values of a node allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression
from grounded_builder.domains.n8n.parameters.visibility import ALWAYS, NEVER, Condition, Test

# Result of a test for the known values: undecided, met, not met, or met with all later tests.
OPEN: Final = 0
MET: Final = 1
UNMET: Final = 2
ENDED: Final = 3


class KnownValues:
    """Some values of the root level, with cached results of the tests over them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._shows: dict[int, int] = {}
        self._hides: dict[int, int] = {}
        self._tests_by_path: dict[str, list[int]] = {}

    def discard_results(self, name: str) -> None:
        """Discards the cached results of tests over a value that has changed."""
        for test in self._tests_by_path.pop(name, ()):
            self._shows.pop(test, None)
            self._hides.pop(test, None)

    def shows(self, test: Test) -> int:
        """Returns the result of a ``show`` test; an expression as value ends the evaluation."""
        show = self._shows.get(id(test))
        if show is None:
            show = self._shows[id(test)] = self._show(test)
        return show

    def narrow(self, condition: Condition) -> Condition | bool:
        """Returns an equivalent condition without the decided tests, or its result."""
        show: list[Test] = []
        for test in condition.show:
            shows = self.shows(test)
            if shows is MET:
                continue
            if shows is OPEN:
                show.append(test)
            elif shows is UNMET:
                return Condition((*show, NEVER), ()) if show else False
            else:
                return Condition(tuple(show), ()) if show else True
        if not condition.hide:
            if len(show) == len(condition.show):
                return condition
            return Condition(tuple(show), ()) if show else True
        return self._narrow_hide_tests(tuple(show), condition.hide)

    def _narrow_hide_tests(
        self, show: tuple[Test, ...], tests: tuple[Test, ...]
    ) -> Condition | bool:
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
                hide = [test if test.path is None else ALWAYS]
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
        """Returns whether the value of a test is known, and records that the test depends on it."""
        path = test.path
        if path is None:
            return True
        self._tests_by_path.setdefault(path, []).append(id(test))
        return path in self._values
