"""Groups parameter declarations by the choice, such as the operation, that shows them.

Large nodes repeat a few first tests (``resource``, ``operation``) over hundreds of declarations:
declarations with the same first test are evaluated and skipped together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, Level, Property
from grounded_builder.domains.n8n.parameters.visibility import Condition, Test

_CHOICE_TYPES = frozenset({"options", "hidden", "boolean"})
_MAX_CHOICES = 10


@dataclass(frozen=True, slots=True)
class Run:
    """Consecutive declarations in n8n's order; none is shown if the ``first`` test fails.

    All declarations of an unconditional run are filled, shown or not.
    """

    first: Test | None
    is_conditional: bool
    members: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Declarations with the same first test, each with its position in the order of the names."""

    first: Test | None
    members: tuple[tuple[int, Property], ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of a root level.

    ``choices`` are the names that decide about others, ``runs`` the simple declarations
    in n8n's order, ``groups`` all that can be shown at this version, ``last`` the last
    position of each declaration in n8n's order, by identity.
    """

    choices: tuple[str, ...]
    runs: tuple[Run, ...]
    groups: tuple[Group, ...]
    last: Mapping[int, int]


def build_outline(root: Level) -> Outline:
    """Builds the outline of a root level."""
    last = {id(prop): place for place, prop in enumerate(root.order)}
    return Outline(
        _find_choices(root), tuple(_split_into_runs(root)), _group_by_first_test(root), last
    )


def list_tests(condition: Condition) -> tuple[Test, ...]:
    """Returns the ``show`` and ``hide`` tests of a condition."""
    return (*condition.show, *condition.hide)


def _split_into_runs(root: Level) -> Iterable[Run]:
    simple = [prop for prop in root.order if prop.type not in CONTAINERS]
    for (is_conditional, _), neighbours in groupby(simple, key=lambda item: _run_key(item, root)):
        members = tuple(neighbours)
        first = _first_test(members[0]) if is_conditional else None
        yield Run(first, is_conditional, members)


def _run_key(prop: Property, root: Level) -> tuple[bool, int]:
    """Returns the key of a declaration's run; names declared once are filled even if hidden."""
    if prop.name not in root.duplicated:
        return False, 0
    return True, id(_first_test(prop))


def _group_by_first_test(root: Level) -> tuple[Group, ...]:
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


def _find_choices(root: Level) -> tuple[str, ...]:
    """Returns the lists and switches on which others depend, and that depend only on each other."""
    uses: dict[str, int] = {}
    dependencies: dict[str, set[str]] = {}
    for prop in root.properties:
        if not isinstance(prop.condition, Condition):
            continue
        paths = {test.path for test in list_tests(prop.condition) if test.path is not None}
        dependencies.setdefault(prop.name, set()).update(paths)
        for path in paths:
            uses[path] = uses.get(path, 0) + 1
    deciding = [
        name
        for name in sorted(uses, key=lambda name: (-uses[name], name))
        if name in root.by_name and all(item.type in _CHOICE_TYPES for item in root.by_name[name])
    ]
    names = set(deciding[:_MAX_CHOICES])
    while True:
        closed = {name for name in names if dependencies.get(name, set()) <= names}
        if closed == names:
            return tuple(sorted(names))
        names = closed
