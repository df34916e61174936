"""What can be told of a root level before any value is known: who decides, and who hangs on what.

Large nodes repeat a few first tests (``resource``, ``operation``) over hundreds of declarations:
what shares its first test is looked at together, and left out together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, Level, Property
from grounded_builder.domains.n8n.parameters.visibility import Condition, Test

_CHOICE_TYPES = frozenset({"options", "hidden", "boolean"})
_MOST_CHOICES = 10


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbours in n8n's order; none is shown where the ``first`` test of all fails.

    Of a run that is not conditional everything is settled, shown or not.
    """

    first: Test | None
    is_conditional: bool
    members: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Declarations with one first test, each with its place in the order of the names."""

    first: Test | None
    members: tuple[tuple[int, Property], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The shape of a root level.

    ``choices`` are the names that decide about others, ``runs`` the simple declarations
    in n8n's order, ``groups`` all that can be shown at this version, ``last`` the last
    place of each declaration, by identity, in n8n's order.
    """

    choices: tuple[str, ...]
    runs: tuple[Run, ...]
    groups: tuple[Group, ...]
    last: Mapping[int, int]


def outline_of(root: Level) -> Outline:
    """Work out the shape of a root level."""
    last = {id(prop): place for place, prop in enumerate(root.order)}
    return Outline(_choices(root), tuple(_runs(root)), _groups(root), last)


def tests_of(condition: Condition) -> tuple[Test, ...]:
    """All tests of a condition."""
    return (*condition.show, *condition.hide)


def _runs(root: Level) -> Iterable[Run]:
    simple = [prop for prop in root.order if prop.type not in CONTAINERS]
    for (is_conditional, _), neighbours in groupby(simple, key=lambda item: _kind(item, root)):
        members = tuple(neighbours)
        first = _first_test(members[0]) if is_conditional else None
        yield Run(first, is_conditional, members)


def _kind(prop: Property, root: Level) -> tuple[bool, int]:
    """Names that are declared once are settled even where they are hidden."""
    if prop.name not in root.duplicated:
        return False, 0
    return True, id(_first_test(prop))


def _groups(root: Level) -> tuple[Group, ...]:
    groups: dict[int, tuple[Test | None, list[tuple[int, Property]]]] = {}
    ordered = (prop for properties in root.by_name.values() for prop in properties)
    for place, prop in enumerate(ordered):
        if prop.condition is not False:
            first = _first_test(prop)
            groups.setdefault(id(first), (first, []))[1].append((place, prop))
    return tuple(Group(first, tuple(members)) for first, members in groups.values())


def _first_test(prop: Property) -> Test | None:
    condition = prop.condition
    return condition.show[0] if isinstance(condition, Condition) and condition.show else None


def _choices(root: Level) -> tuple[str, ...]:
    """Names of lists and switches that decide about others, decided by such names alone."""
    uses: dict[str, int] = {}
    asked: dict[str, set[str]] = {}
    for prop in root.properties:
        if not isinstance(prop.condition, Condition):
            continue
        paths = {test.path for test in tests_of(prop.condition) if test.path is not None}
        asked.setdefault(prop.name, set()).update(paths)
        for path in paths:
            uses[path] = uses.get(path, 0) + 1
    deciding = [
        name
        for name in sorted(uses, key=lambda name: (-uses[name], name))
        if name in root.by_name and all(item.type in _CHOICE_TYPES for item in root.by_name[name])
    ]
    entries = set(deciding[:_MOST_CHOICES])
    while True:
        results = {name for name in entries if asked.get(name, set()) <= entries}
        if results == entries:
            return tuple(sorted(entries))
        entries = results
