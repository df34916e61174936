"""Compiles ``displayOptions`` into tests that decide when n8n shows a parameter.

``show`` holds if all its keys do, ``hide`` hides if any of its keys does. A plain key reads the
level of the parameter, ``/key`` the root. In ``show`` a value that is an expression shows the
parameter at once, whatever the later keys are (n8n-workflow, NodeHelpers.displayParameter).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_deep_equal,
    is_expression,
    is_less,
    is_less_or_equal,
    is_truthy,
    look_up,
)
from grounded_builder.domains.n8n.parameters.patterns import pattern_matches

Compare = Callable[[Any, Any], bool]


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of the node that conditions can test: ``@version``, ``@tool`` and ``@feature``."""

    version: float
    is_tool: bool
    features: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AcceptedValues:
    """The values that satisfy a key: plain ones by type, and comparisons."""

    texts: frozenset[str]
    numbers: frozenset[float]
    booleans: frozenset[bool]
    null: bool
    comparisons: tuple[tuple[str, Any], ...]

    def met_by(self, values: list[Any]) -> bool:
        """Returns whether any value is accepted, or a comparison holds for all of them."""
        return any(self._has(value) for value in values) or any(
            _compare(operator, target, values) for operator, target in self.comparisons
        )

    def met_by_one(self, value: Any) -> bool:
        """Returns whether a single value is accepted."""
        if value.__class__ is str:
            if value in self.texts:
                return True
        elif self._has(value):
            return True
        return bool(self.comparisons) and any(
            _compare(operator, target, [value]) for operator, target in self.comparisons
        )

    def _has(self, value: Any) -> bool:
        if value.__class__ is str:
            return value in self.texts
        if value.__class__ is bool:
            return value in self.booleans
        if isinstance(value, int | float):
            return value in self.numbers
        return value is None and self.null


@dataclass(frozen=True, slots=True)
class Test:
    """A key of ``show`` or ``hide``; ``path`` is None if ``fixed`` already holds the value."""

    __test__ = False  # not a test of pytest

    path: str | None
    from_root: bool
    fixed: tuple[Any, ...]
    wanted: AcceptedValues

    def value(self, level: Any, root: Any) -> Any:
        """Returns the value of the key or a list of values; for a locator, its target."""
        if self.path is None:
            return list(self.fixed)
        value = look_up(root if self.from_root else level, self.path)
        if value.__class__ is dict and is_truthy(value.get("__rl")):
            return value.get("value", MISSING)
        return value

    def values(self, level: Any, root: Any) -> list[Any]:
        """Returns the values of the key as a list."""
        value = self.value(level, root)
        return value if value.__class__ is list else [value]


@dataclass(frozen=True, slots=True)
class Condition:
    """All tests of a parameter in the order in which they are written."""

    show: tuple[Test, ...]
    hide: tuple[Test, ...]

    def holds(self, level: Any, root: Any) -> bool:
        """Returns whether the parameter is shown with these values."""
        for test in self.show:
            value = test.value(level, root)
            if value.__class__ is str and value[:1] == "=":
                return True
            if value.__class__ is list:
                if any(is_expression(item) for item in value):
                    return True
                if not test.wanted.met_by(value):
                    return False
            elif not test.wanted.met_by_one(value):
                return False
        for test in self.hide:
            value = test.value(level, root)
            if value.__class__ is list:
                if value and test.wanted.met_by(value):
                    return False
            elif test.wanted.met_by_one(value):
                return False
        return True


def compile_condition(options: Any, facts: Facts) -> Condition | bool:
    """Compiles ``displayOptions``; returns True if always shown, False if never at this version."""
    if not isinstance(options, Mapping):
        return True
    show: list[Test] = []
    for key, entries in _test_pairs(options.get("show")):
        test = _compile_test(key, entries, facts)
        if test.path is None:
            if test.wanted.met_by(list(test.fixed)):
                continue
            if not show:
                return False
        show.append(test)
        if test.path is None:
            break
    hide: list[Test] = []
    for key, entries in _test_pairs(options.get("hide")):
        test = _compile_test(key, entries, facts)
        if test.path is not None:
            hide.append(test)
        elif test.fixed and test.wanted.met_by(list(test.fixed)):
            if not show:
                return False
            hide = [test]
            break
    return Condition(tuple(show), tuple(hide)) if show or hide else True


def compile_accepted_values(entries: Iterable[Any]) -> AcceptedValues:
    """Compiles the values and comparisons of a key."""
    texts, numbers, booleans, null = set(), set(), set(), False
    comparisons: list[tuple[str, Any]] = []
    for entry in entries:
        if isinstance(entry, str):
            texts.add(entry)
        elif isinstance(entry, bool):
            booleans.add(entry)
        elif isinstance(entry, int | float):
            numbers.add(float(entry))
        elif entry is None:
            null = True
        elif isinstance(entry, dict) and len(entry) == 1 and isinstance(entry.get("_cnd"), dict):
            comparisons += list(entry["_cnd"].items())[:1]
    return AcceptedValues(
        frozenset(texts), frozenset(numbers), frozenset(booleans), null, tuple(comparisons)
    )


_NOTHING = AcceptedValues(frozenset(), frozenset(), frozenset(), False, ())
_NULL = AcceptedValues(frozenset(), frozenset(), frozenset(), True, ())
# Tests that never and always hold, for simplified conditions.
NEVER = Test(None, False, (), _NOTHING)
ALWAYS = Test(None, False, (None,), _NULL)


def _test_pairs(tests: Any) -> Iterable[tuple[str, Any]]:
    return tests.items() if isinstance(tests, Mapping) else ()


def _compile_test(key: str, entries: Any, facts: Facts) -> Test:
    values = entries if isinstance(entries, list) else [entries]
    if key[:1] != "@" and all(value.__class__ is str for value in values):
        return _compile_text_test(key, tuple(values))
    wanted = compile_accepted_values(values)
    if key == "@version":
        return Test(None, False, (facts.version,), wanted)
    if key == "@tool":
        return Test(None, False, (facts.is_tool,), wanted)
    if key == "@feature":
        return Test(None, False, facts.features, wanted)
    if key[:1] == "/":
        return Test(key[1:], True, (), wanted)
    return Test(key, False, (), wanted)


@lru_cache(16_384)
def _compile_text_test(key: str, texts: tuple[str, ...]) -> Test:
    """Returns a cached test for texts; large nodes repeat the same tests hundreds of times."""
    wanted = AcceptedValues(frozenset(texts), frozenset(), frozenset(), False, ())
    return Test(key.removeprefix("/"), key[:1] == "/", (), wanted)


def _compare(operator: str, target: Any, values: list[Any]) -> bool:
    if not values:
        return operator == "not"
    compare = _OPERATORS.get(operator)
    return compare is not None and all(compare(value, target) for value in values)


def _between(value: Any, target: Any) -> bool:
    ends = target if isinstance(target, dict) else {}
    return is_less_or_equal(ends.get("from", MISSING), value) and is_less_or_equal(
        value, ends.get("to", MISSING)
    )


def _matches(value: Any, target: Any) -> bool:
    return (
        isinstance(value, str) and isinstance(target, str) and bool(pattern_matches(target, value))
    )


_OPERATORS: Mapping[str, Compare] = {
    "eq": is_deep_equal,
    "not": lambda value, target: not is_deep_equal(value, target),
    "gte": lambda value, target: is_less_or_equal(target, value),
    "lte": is_less_or_equal,
    "gt": lambda value, target: is_less(target, value),
    "lt": is_less,
    "between": _between,
    "includes": lambda value, target: isinstance(value, str) and str(target) in value,
    "startsWith": lambda value, target: isinstance(value, str) and value.startswith(str(target)),
    "endsWith": lambda value, target: isinstance(value, str) and value.endswith(str(target)),
    "regex": _matches,
    "exists": lambda value, _: value is not MISSING and value is not None and value != "",
}
