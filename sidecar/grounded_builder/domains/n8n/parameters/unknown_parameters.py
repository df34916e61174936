"""Reports parameters that a tool does not have, and converts those of another version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.catalog.likeness import find_nearest, is_near, is_typo
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, new_diagnostic
from grounded_builder.domains.n8n.parameters.counterparts import find_move
from grounded_builder.domains.n8n.parameters.findings import Subject, format_names, format_route
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.legacy_pairs import convert_pairs
from grounded_builder.domains.n8n.parameters.misplaced import is_setting, report_inner_setting
from grounded_builder.domains.n8n.parameters.place import Place
from grounded_builder.domains.n8n.parameters.properties import CONTAINERS, Property
from grounded_builder.domains.n8n.parameters.value_types import EMPTY, check_value
from grounded_builder.ir.rules.parameters import MISNAMED_PARAMETER, UNKNOWN_PARAMETER

_MAX_REPORTED = 100


def report_unknown_parameters(
    subject: Subject, place: Place, names: list[str], absent: frozenset[Route]
) -> Iterator[Diagnostic]:
    """Reports each name that the level does not know, and the number of those beyond the limit."""
    free = place.open_names()
    required = [name for name in free if (*place.route, name) in absent]
    elsewhere = _versions_by_name(subject) if not place.route else {}
    labels = _index_by_label(place, free)
    checked = names[:_MAX_REPORTED]
    spellings = Counter(fold_name(name) for name in checked)
    for name in checked:
        if not place.route and is_setting(name, place.given[name]):
            node = subject.node
            yield report_inner_setting(node.source, node.at, node.name, name)
            continue
        intended = None
        if name not in elsewhere and spellings[fold_name(name)] == 1:
            intended = _find_intended(name, free, labels)
        fits = intended is not None and _fits(place, intended, place.given[name])
        if intended is not None and (fits or _is_close(name, intended)):
            yield _report_misnamed(subject, place, name, (intended,), near=True, safe=fits)
        elif required and name not in elsewhere and place.given[name] not in EMPTY:
            yield _report_misnamed(subject, place, name, tuple(required), near=False, safe=False)
        else:
            yield _report_unknown(subject, place, name, free, elsewhere.get(name, ()))
    if len(names) > _MAX_REPORTED:
        yield new_diagnostic(
            UNKNOWN_PARAMETER,
            subject.at(place.route),
            f"{subject.title} does not have {len(names) - _MAX_REPORTED} more of these parameters",
            help="remove them",
            node=subject.node.name,
        )


def convert_from_other_version(subject: Subject, place: Place, name: str) -> Fix | None:
    """Returns a fix that moves a value of another version to its only counterpart in this one."""
    value = place.given[name]
    if place.route or not isinstance(value, dict):
        return None
    carried = convert_pairs(
        value, [prop for free in place.open_names() for prop in place.list_shown(free)]
    )
    if carried is None:
        return None
    prop, shape = carried
    edits = (Edit("set", subject.at((prop.name,)), shape), Edit("remove", subject.at((name,))))
    return Fix(True, edits, f'"{name}" is "{prop.name}" at version {subject.spec.version:g}')


def _find_intended(
    name: str, free: tuple[str, ...], labels: Mapping[str, Sequence[str]]
) -> str | None:
    """Returns the only open name with these letters or this label, or that it misspells."""
    same = [text for text in free if fold_name(text) == fold_name(name)]
    if not same:
        same = list(labels.get(fold_name(name), ()))
    if not same:
        same = [text for text in free if is_typo(name, text)]
    return same[0] if len(same) == 1 else None


def _index_by_label(place: Place, free: tuple[str, ...]) -> Mapping[str, list[str]]:
    """Returns the open names by their labels."""
    names: dict[str, list[str]] = {}
    for name in free:
        for label in {
            fold_name(str(prop.raw.get("displayName") or "")) for prop in place.list_shown(name)
        }:
            names.setdefault(label, []).append(name)
    return names


def _is_close(name: str, text: str) -> bool:
    """Returns whether a name differs from another by at most one letter."""
    return fold_name(name) == fold_name(text) or is_near(name, text)


def _fits(place: Place, name: str, value: Any) -> bool:
    """Returns whether the parameter can take the value; a group takes an object or a list."""
    properties = place.level.by_name.get(name)
    if properties is None:
        return isinstance(value, dict | list)
    return any(_accepts(item, value) and _knows_entries(item, value) for item in properties)


def _accepts(prop: Property, value: Any) -> bool:
    """Returns whether a value fits or can be written so that it fits."""
    return all(
        wrong.kind == "loose" and wrong.instead is not MISSING for wrong in check_value(prop, value)
    )


def _knows_entries(prop: Property, value: Any) -> bool:
    """Returns whether a container has any of the value's entries."""
    if prop.type not in CONTAINERS or not isinstance(value, dict) or not value:
        return True
    return any(
        isinstance(entry, dict) and entry.get("name") in value
        for entry in prop.raw.get("options") or ()
    )


def _versions_by_name(subject: Subject) -> dict[str, list[float]]:
    """Returns the versions of the tool that have each name; leftovers of a version are no typos."""
    versions: dict[str, list[float]] = {}
    for variant in subject.registry.tool(subject.spec.id)["variants"]:
        for name in {parameter["name"] for parameter in variant["parameters"]}:
            versions.setdefault(name, []).extend(variant["versions"])
    return versions


def _report_misnamed(
    subject: Subject, place: Place, name: str, intended: tuple[str, ...], *, near: bool, safe: bool
) -> Diagnostic:
    route = (*place.route, name)
    at = subject.at(route)
    shown = name[:80]
    fix = None
    if len(intended) == 1:
        fix = Fix(safe, (Edit("rename", at, intended[0]),), f'"{shown}" is "{intended[0]}"')
    names = format_names(intended)
    reason = f'it has "{names}"' if near else f'it requires "{names}"'
    return new_diagnostic(
        MISNAMED_PARAMETER,
        at,
        f'{subject.title} has no parameter "{format_route(route)}"; {reason}',
        help=f'write "{names}" instead of "{shown}"',
        node=subject.node.name,
        token=name[:200],
        alternatives=intended,
        fix=fix,
    )


def _report_unknown(
    subject: Subject, place: Place, name: str, free: tuple[str, ...], versions: Sequence[float]
) -> Diagnostic:
    route = (*place.route, name)
    homes = _find_collections(subject, name) if not place.route else ()
    near = homes or find_nearest(name, free)
    if versions:
        shown = format_names(f"{version:g}" for version in versions)
        advice = f"only versions {shown} have it: check the node's version"
    elif homes:
        advice = f'move it to "{homes[0]}"'
    elif free:
        advice = f"use one of these names: {format_names(free)}"
    else:
        advice = "remove it"
    return new_diagnostic(
        UNKNOWN_PARAMETER,
        subject.at(route),
        f'{subject.title} has no parameter "{format_route(route)}"; n8n drops it',
        help=advice,
        node=subject.node.name,
        token=name[:200],
        alternatives=near,
        fix=convert_from_other_version(subject, place, name) or find_move(subject, place, name),
    )


def _find_collections(subject: Subject, name: str) -> tuple[str, ...]:
    """Returns the routes of root collections that have a child of this name."""
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
