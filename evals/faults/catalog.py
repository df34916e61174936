"""Reads a catalog from its JSON Lines, and evaluates which parameters a node certainly shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A node type of the catalog."""

    raw: Json

    @property
    def id(self) -> str:
        return str(self.raw["id"])

    @property
    def package(self) -> str:
        return str(self.raw["package"])

    @cached_property
    def versions(self) -> dict[float, Json]:
        """Returns the implementation of each version, in ascending order."""
        pairs = [
            (version, variant)
            for variant in self.raw["variants"]
            for version in variant["versions"]
        ]
        return dict(sorted(pairs, key=lambda pair: pair[0]))

    @cached_property
    def names(self) -> frozenset[str]:
        """Returns the names of all top-level parameters of all versions."""
        return frozenset(
            parameter["name"]
            for variant in self.raw["variants"]
            for parameter in variant["parameters"]
        )

    @cached_property
    def credentials(self) -> frozenset[str]:
        """Returns the credential types that at least one version accepts."""
        return frozenset(
            credential["name"]
            for variant in self.raw["variants"]
            for credential in variant.get("credentials", ())
        )


@dataclass(frozen=True)
class Catalog:
    """The installed and excluded tools, the credential types and the packages."""

    tools: Mapping[str, Tool]
    excluded: Mapping[str, Tool]
    credentials: tuple[str, ...]
    packages: tuple[str, ...]

    @staticmethod
    def read(content: bytes) -> Catalog:
        lines = [json.loads(line) for line in content.splitlines()]
        tools = [Tool(line) for line in lines if line["kind"] == "tool"]
        return Catalog(
            {tool.id: tool for tool in tools if tool.raw.get("availability") != "excluded"},
            {tool.id: tool for tool in tools if tool.raw.get("availability") == "excluded"},
            tuple(line["id"] for line in lines if line["kind"] == "credential"),
            tuple(sorted({tool.package for tool in tools})),
        )

    def has(self, tool: str) -> bool:
        return tool in self.tools or tool in self.excluded


class Unsure(Exception):  # noqa: N818 - signals an unknown result, not a failure
    """A condition reads a value that only n8n itself can evaluate."""


_ABSENT = object()
_DEEPEST = 12


@dataclass
class Level:
    """One level of parameters: the declared ones and the values that are set.

    Conditions are evaluated conservatively: one that reads an expression, a feature or a path
    raises Unsure, and no fault is injected there.
    """

    declared: list[Json]
    given: Mapping[str, Any]
    version: float
    root: Level | None = None
    with_defaults: bool = True
    _memo: dict[str, Any] = field(default_factory=dict)

    def property_of(self, name: str) -> Json | None:
        """Returns the only declaration of this name that is certainly shown, or None."""
        try:
            shown = [item for item in self.declared if item["name"] == name and self.is_shown(item)]
        except Unsure:
            return None
        return shown[0] if len(shown) == 1 else None

    def is_certainly_hidden(self, name: str) -> bool:
        try:
            return not any(self.is_shown(item) for item in self.declared if item["name"] == name)
        except Unsure:
            return False

    def is_shown(self, declared: Json, depth: int = 0) -> bool:
        conditions = declared.get("displayOptions") or {}
        if set(conditions) - {"show", "hide"}:
            raise Unsure
        shown = [
            self._meets_condition(key, wanted, depth)
            for key, wanted in _list_conditions(conditions, "show")
        ]
        hidden = [
            self._meets_condition(key, wanted, depth)
            for key, wanted in _list_conditions(conditions, "hide")
        ]
        return all(shown) and not any(hidden)

    def value(self, key: str, depth: int = 0) -> Any:
        """Returns the value that a condition reads, with defaults; raises Unsure on expressions."""
        if key == "@version":
            return self.version
        if depth > _DEEPEST or key.startswith("@") or "." in key:
            raise Unsure
        if key.startswith("/"):
            return (self.root or self).value(key[1:], depth + 1)
        if key not in self._memo:
            self._memo[key] = self._evaluate(key, depth)
        return self._memo[key]

    def _evaluate(self, key: str, depth: int) -> Any:
        shown = [
            item for item in self.declared if item["name"] == key and self.is_shown(item, depth + 1)
        ]
        if not shown:
            return _ABSENT
        value = self.given.get(key, _ABSENT)
        if value is _ABSENT and self.with_defaults:
            value = shown[0].get("default", _ABSENT)
        if isinstance(value, dict) and "mode" in value:
            value = value.get("value")
        if isinstance(value, dict) or (isinstance(value, str) and value.startswith("=")):
            raise Unsure
        return value

    def _meets_condition(self, key: str, wanted: Any, depth: int) -> bool:
        value = self.value(key, depth)
        if value is _ABSENT:
            return False
        values = value if isinstance(value, list) else [value]
        return any(_matches(item, want) for item in values for want in wanted)


def _list_conditions(conditions: Json, side: str) -> Iterable[tuple[str, Any]]:
    return (conditions.get(side) or {}).items()


def _matches(value: Any, wanted: Any) -> bool:
    if not isinstance(wanted, dict):
        same = type(value) is type(wanted) and bool(value == wanted)
        return same or _same_number(value, wanted)
    condition = wanted.get("_cnd")
    if not isinstance(condition, dict) or len(condition) != 1:
        raise Unsure
    operator, other = next(iter(condition.items()))
    if operator in ("eq", "not"):
        return _matches(value, other) is (operator == "eq")
    if not _is_number(value) or not _is_number(other):
        raise Unsure
    if operator == "gte":
        return bool(value >= other)
    if operator == "lte":
        return bool(value <= other)
    if operator == "gt":
        return bool(value > other)
    if operator == "lt":
        return bool(value < other)
    raise Unsure


def _same_number(left: Any, right: Any) -> bool:
    return _is_number(left) and _is_number(right) and bool(left == right)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
