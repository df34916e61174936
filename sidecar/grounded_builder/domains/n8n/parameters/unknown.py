"""Parameters that a tool does not have: misspelt ones, misplaced ones, leftovers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import OSA

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, find_nearest, new_diagnostic
from grounded_builder.domains.n8n.parameters.findings import Subject, dotted, listed
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.legacy_pairs import carried_over
from grounded_builder.domains.n8n.parameters.misplaced import inner_setting, is_setting
from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, Level, Property
from grounded_builder.domains.n8n.parameters.spelling import is_slip
from grounded_builder.domains.n8n.parameters.value_types import EMPTY, check_value
from grounded_builder.ir.rules.parameters import MISNAMED_PARAMETER, UNKNOWN_PARAMETER

_MOST = 100
_NO_LEVEL = Level((), {}, frozenset(), (), (), conditional=False)


@dataclass(frozen=True, slots=True)
class Place:
    """A level of a node's parameters with the values given there.

    ``simple`` and ``root`` are the settled values that conditions read; the groups of a
    fixed collection have names but no declarations. What is ``kept`` n8n hands on as it is,
    hidden and unknown values included.
    """

    level: Level
    given: Mapping[str, Any]
    simple: Any
    root: Any
    route: Route
    groups: tuple[str, ...] = ()
    in_group: bool = False
    kept: bool = False

    @staticmethod
    def of_groups(groups: list[str], given: Mapping[str, Any], root: Any, route: Route) -> Place:
        """The level of the groups of a fixed collection, which have names but no declarations."""
        return Place(_NO_LEVEL, given, {}, root, route, tuple(groups))

    def open_names(self) -> tuple[str, ...]:
        """The names that could be given here and are not, in the order of their declaration."""
        names = self.groups or tuple(
            name
            for name, properties in self.level.by_name.items()
            if any(prop.shown(self.simple, self.root) for prop in properties)
        )
        return tuple(name for name in names if name not in self.given)

    def shown(self, name: str) -> list[Property]:
        """Returns the declarations of a name that are shown here; groups have none."""
        properties = self.level.by_name.get(name, ())
        return [prop for prop in properties if prop.shown(self.simple, self.root)]


def unknown_parameters(
    subject: Subject, place: Place, names: list[str], absent: frozenset[Route]
) -> Iterator[Diagnostic]:
    """One finding for each name that the level does not know; beyond a hundred one for all."""
    free = place.open_names()
    required = [name for name in free if (*place.route, name) in absent]
    elsewhere = _versions_by_name(subject) if not place.route else {}
    labels = _labels(place, free)
    looked_at = names[:_MOST]
    spellings = Counter(fold_name(name) for name in looked_at)
    for name in looked_at:
        if not place.route and is_setting(name, place.given[name]):
            node = subject.node
            yield inner_setting(node.source, node.at, node.name, name)
            continue
        text = None
        if name not in elsewhere and spellings[fold_name(name)] == 1:
            text = _meant(name, free, labels)
        fits = text is not None and _fits(place, text, place.given[name])
        if text is not None and (fits or _is_close(name, text)):
            yield _misnamed(subject, place, name, (text,), near=True, safe=fits)
        elif required and name not in elsewhere and place.given[name] not in EMPTY:
            yield _misnamed(subject, place, name, tuple(required), near=False, safe=False)
        else:
            yield _unknown(subject, place, name, free, elsewhere.get(name, ()))
    if len(names) > _MOST:
        yield new_diagnostic(
            UNKNOWN_PARAMETER,
            subject.at(place.route),
            f"{subject.title} has no such parameters: {len(names) - _MOST} more beside those told",
            help="leave them out",
            node=subject.node.name,
        )


def as_here(subject: Subject, place: Place, name: str) -> Fix | None:
    """Move a value of another version to the one parameter that takes its like at this one."""
    value = place.given[name]
    if place.route or not isinstance(value, dict):
        return None
    carried = carried_over(
        value, [prop for free in place.open_names() for prop in place.shown(free)]
    )
    if carried is None:
        return None
    prop, shape = carried
    edits = (Edit("set", subject.at((prop.name,)), shape), Edit("remove", subject.at((name,))))
    return Fix(True, edits, f'"{name}" is "{prop.name}" at version {subject.spec.version:g}')


def _meant(name: str, free: tuple[str, ...], labels: Mapping[str, Sequence[str]]) -> str | None:
    """The one open name that differs in case, marks or a slip of the pen, or has this label."""
    same = [text for text in free if fold_name(text) == fold_name(name)]
    if not same:
        same = list(labels.get(fold_name(name), ()))
    if not same:
        same = [text for text in free if is_slip(name, text)]
    return same[0] if len(same) == 1 else None


def _labels(place: Place, free: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Returns the open names by the labels that people see."""
    names: dict[str, list[str]] = {}
    for name in free:
        for label in {
            fold_name(str(prop.raw.get("displayName") or "")) for prop in place.shown(name)
        }:
            names.setdefault(label, []).append(name)
    return names


def _is_close(name: str, text: str) -> bool:
    """Returns whether a name can mean no other whatever its value is: at most one slip."""
    return fold_name(name) == fold_name(text) or OSA.distance(name, text) <= 1


def _fits(place: Place, name: str, value: Any) -> bool:
    """Whether the value can be what the parameter takes; a group takes an object or a list."""
    properties = place.level.by_name.get(name)
    if properties is None:
        return isinstance(value, dict | list)
    return any(_takes(item, value) and _knows(item, value) for item in properties)


def _takes(prop: Property, value: Any) -> bool:
    """Returns whether a value fits, or is only written in another way than it is meant."""
    return all(
        wrong.kind == "loose" and wrong.instead is not MISSING for wrong in check_value(prop, value)
    )


def _knows(prop: Property, value: Any) -> bool:
    """Returns whether a container has anything of what the value holds."""
    if prop.type not in CONTAINERS or not isinstance(value, dict) or not value:
        return True
    return any(
        isinstance(entry, dict) and entry.get("name") in value
        for entry in prop.raw.get("options") or ()
    )


def _versions_by_name(subject: Subject) -> dict[str, list[float]]:
    """Which versions of the tool know which names: leftovers of another are no misspellings."""
    versions: dict[str, list[float]] = {}
    for variant in subject.registry.tool(subject.spec.id)["variants"]:
        for name in {parameter["name"] for parameter in variant["parameters"]}:
            versions.setdefault(name, []).extend(variant["versions"])
    return versions


def _misnamed(
    subject: Subject, place: Place, name: str, meant: tuple[str, ...], *, near: bool, safe: bool
) -> Diagnostic:
    route = (*place.route, name)
    at = subject.at(route)
    shown = name[:80]
    fix = None
    if len(meant) == 1:
        fix = Fix(safe, (Edit("rename", at, meant[0]),), f'"{shown}" is "{meant[0]}"')
    wanted = "which is near" if near else "which it requires"
    return new_diagnostic(
        MISNAMED_PARAMETER,
        at,
        f'{subject.title} has no parameter "{dotted(route)}", but "{listed(meant)}", {wanted}',
        help=f'write "{listed(meant)}" instead of "{shown}"',
        node=subject.node.name,
        token=name[:200],
        alternatives=meant,
        fix=fix,
    )


def _unknown(
    subject: Subject, place: Place, name: str, free: tuple[str, ...], versions: Sequence[float]
) -> Diagnostic:
    route = (*place.route, name)
    homes = _homes(subject, name) if not place.route else ()
    near = homes or find_nearest(name, free)
    if versions:
        shown = listed(f"{version:g}" for version in versions)
        advice = f"only versions {shown} have it: is the node's version right?"
    elif homes:
        advice = f'it belongs at "{homes[0]}"'
    elif free:
        advice = f"open here: {listed(free)}"
    else:
        advice = "leave it out"
    return new_diagnostic(
        UNKNOWN_PARAMETER,
        subject.at(route),
        f'{subject.title} has no parameter "{dotted(route)}"; n8n drops it',
        help=advice,
        node=subject.node.name,
        token=name[:200],
        alternatives=near,
        fix=as_here(subject, place, name),
    )


def _homes(subject: Subject, name: str) -> tuple[str, ...]:
    """Collections at the root that take a child of this name."""
    declarations = subject.spec.declarations
    return tuple(
        dict.fromkeys(
            f"{prop.name}.{name}"
            for prop in declarations.root.properties
            if prop.type == "collection"
            and any(
                child.get("name") == name
                for child in prop.raw.get("options") or ()
                if isinstance(child, dict)
            )
        )
    )[:3]
