"""Defines a level of a node's parameters together with the values that are given there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.properties import Level, Property

_NO_LEVEL = Level((), {}, frozenset(), (), (), conditional=False)


@dataclass(frozen=True, slots=True)
class Place:
    """A level of a node's parameters with the values given there.

    ``simple`` and ``root`` are the simple values that conditions read; the groups of a fixed
    collection have names but no declarations. n8n passes on all values of a level with
    ``is_passed_on``, including hidden and unknown ones.
    """

    level: Level
    given: Mapping[str, Any]
    simple: Any
    root: Any
    route: Route
    groups: tuple[str, ...] = ()
    in_group: bool = False
    is_passed_on: bool = False

    @staticmethod
    def of_groups(groups: list[str], given: Mapping[str, Any], root: Any, route: Route) -> Place:
        """Returns the level of the groups of a fixed collection."""
        return Place(_NO_LEVEL, given, {}, root, route, tuple(groups))

    def open_names(self) -> tuple[str, ...]:
        """Returns the names that can be given here and are not, in the order of declaration."""
        names = self.groups or tuple(
            name
            for name, properties in self.level.by_name.items()
            if any(prop.is_shown(self.simple, self.root) for prop in properties)
        )
        return tuple(name for name in names if name not in self.given)

    def list_shown(self, name: str) -> list[Property]:
        """Returns the declarations of a name that are shown here; groups have none."""
        properties = self.level.by_name.get(name, ())
        return [prop for prop in properties if prop.is_shown(self.simple, self.root)]

    def with_values(self, given: Mapping[str, Any]) -> Place:
        """Returns the level with other values."""
        return replace(self, given=given)
