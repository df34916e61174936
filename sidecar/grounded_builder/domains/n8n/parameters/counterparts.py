"""Finds the parameter to which a value of another version, or of another place, belongs.

The catalog declares every version of a node type. A parameter that a version renamed is recognized
by its name, its label and its choices. A value moves only where a single parameter takes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.tokenize import singular, split_identifier
from grounded_builder.diagnostics import Edit, Fix, Route
from grounded_builder.domains.n8n.parameters.convert_value import convert_value, match_choices
from grounded_builder.domains.n8n.parameters.findings import Subject, format_route
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.place import Place
from grounded_builder.domains.n8n.parameters.properties import Level, Property, only_dicts
from grounded_builder.domains.n8n.parameters.remedies import find_remedies
from grounded_builder.domains.n8n.parameters.value_types import EMPTY

# Settings that decide what a node does: a value alone never changes them.
_DECISIVE = frozenset({"resource", "operation", "authentication"})
_UNREADABLE = frozenset({"notice", "callout", "curlImport", "button", "hidden"})
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Move:
    """A value at its new route, with the settings that show it there."""

    route: Route
    value: Any
    settings: Mapping[str, Any]


def find_move(subject: Subject, place: Place, name: str) -> Fix | None:
    """Returns the fix that moves a root value without effect to where this version reads it.

    The fix is not safe by itself: n8n ignores the value as it stands, and reads it afterwards.
    """
    value = place.given[name]
    if place.route or value in EMPTY:
        return None
    if name in place.level.by_name:
        return _show_by_settings(subject, place, name)
    declared = _find_declarations(subject, name)
    moves = [*_find_by_name(subject, place, name, value)]
    if not moves:
        moves = list(_find_renamed(place, name, value, declared))
    if not moves:
        moves = list(_find_by_choice(subject, place, name, value))
    if len(moves) != 1:
        return None
    return _fix(subject, place, name, moves[0], _find_switches(place, declared))


def _fix(
    subject: Subject, place: Place, name: str, move: Move, switches: Iterable[str] = ()
) -> Fix | None:
    settings = {key: value for key, value in move.settings.items() if key != move.route[0]}
    if any(key in place.given for key in settings):
        return None
    holder, created = place.given, list(move.route)
    depth = 0
    while depth < len(created) - 1 and isinstance(holder, dict) and created[depth] in holder:
        holder, depth = holder[created[depth]], depth + 1
    if not isinstance(holder, dict) or created[depth] in holder:
        return None
    content = move.value
    for key in reversed(created[depth + 1 :]):
        content = [content] if isinstance(key, int) else {key: content}
    edits = (
        *(Edit("set", subject.at((key,)), value) for key, value in settings.items()),
        Edit("set", subject.at(tuple(created[: depth + 1])), content),
        Edit("remove", subject.at((name,))),
        *(Edit("remove", subject.at((key,))) for key in switches if key != name),
    )
    target = format_route(move.route)
    return Fix(False, edits, f'"{name}" is "{target}" at version {subject.spec.version:g}')


def _show_by_settings(subject: Subject, place: Place, name: str) -> Fix | None:
    """Returns the fix that sets the only settings with which n8n reads a hidden value."""
    settings = _choose_settings(place, place.level.by_name[name], place.given)
    if not settings or any(key in place.given for key in settings):
        return None
    edits = tuple(Edit("set", subject.at((key,)), value) for key, value in settings.items())
    shown = ", ".join(settings)
    return Fix(False, edits, f'"{name}" has an effect only with {shown}')


def _choose_settings(
    place: Place, properties: tuple[Property, ...], given: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Returns the fewest settings that show a parameter, {} if it is shown, None if unclear."""
    if any(prop.is_shown(place.simple, place.root) for prop in properties):
        return {}
    remedies = find_remedies(properties, place.with_values(given))
    allowed = [item for item in remedies if not _DECISIVE & item.keys()]
    fewest = min(map(len, allowed), default=0)
    shortest = [item for item in allowed if len(item) == fewest]
    return shortest[0] if len(shortest) == 1 else None


def _find_declarations(subject: Subject, name: str) -> list[Mapping[str, Any]]:
    """Returns the declarations of a name in the nearest version that has it."""
    own = subject.spec.version
    variants = subject.registry.tool(subject.spec.id)["variants"]
    having = [
        (min(abs(version - own) for version in variant["versions"]), declared)
        for variant in variants
        if (declared := [item for item in variant["parameters"] if item.get("name") == name])
    ]
    return min(having, key=lambda item: item[0])[1] if having else []


def _find_switches(place: Place, declared: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Returns the given settings that only showed the parameter at its own version."""
    conditions = {
        key
        for item in declared
        for tests in only_dicts(list((item.get("displayOptions") or {}).values()))
        for key in tests
    }
    return tuple(
        key
        for key, value in place.given.items()
        if key in conditions and key not in place.level.by_name and isinstance(value, bool)
    )


def _find_by_name(subject: Subject, place: Place, name: str, value: Any) -> Iterator[Move]:
    """Yields the collections of the node that have a parameter of this name, and take the value."""
    for prop in place.level.properties:
        if prop.type not in ("collection", "fixedCollection"):
            continue
        if not prop.is_shown(place.simple, place.root):
            continue
        for route, inner in _list_inside(subject, prop, (prop.name,), 0):
            if route[-1] == name and all(isinstance(step, str) for step in route):
                converted = convert_value(None, inner, value)
                if converted is not MISSING:
                    yield Move(route, converted, {})


def _list_inside(
    subject: Subject, prop: Property, route: Route, depth: int
) -> Iterator[tuple[Route, Property]]:
    """Yields the declarations inside a collection with their routes; an entry of a list is 0."""
    if depth >= _MAX_DEPTH:
        return
    for inner_route, level in _list_levels(subject, prop, route):
        for inner in level.properties:
            here = (*inner_route, inner.name)
            yield here, inner
            if inner.type in ("collection", "fixedCollection"):
                yield from _list_inside(subject, inner, here, depth + 1)


def _list_levels(subject: Subject, prop: Property, route: Route) -> Iterator[tuple[Route, Level]]:
    declarations = subject.spec.declarations
    if prop.type == "collection":
        yield route, declarations.children(prop)
        return
    for group in only_dicts(prop.raw.get("options")):
        level = declarations.group(prop, str(group.get("name")))
        if level is not None:
            step: Route = (0,) if prop.multiple is True else ()
            yield (*route, str(group.get("name")), *step), level


def _find_renamed(
    place: Place, name: str, value: Any, declared: list[Mapping[str, Any]]
) -> Iterator[Move]:
    """Yields the parameters that have the best evidence of being this one under another name."""
    best: tuple[int, ...] = ()
    found: dict[str, Move] = {}
    for target, properties in place.level.by_name.items():
        if target in place.given or properties[0].type in _UNREADABLE or target in _DECISIVE:
            continue
        for prop in properties:
            evidence = max(
                (_weigh(name, item, prop) for item in declared), default=_weigh(name, None, prop)
            )
            if not any(evidence) or evidence < best:
                continue
            move = _move_to(place, name, prop, properties, value, declared)
            if move is None:
                continue
            if evidence > best:
                best, found = evidence, {}
            found.setdefault(target, move)
    yield from found.values()


def _move_to(
    place: Place,
    name: str,
    prop: Property,
    properties: tuple[Property, ...],
    value: Any,
    declared: list[Mapping[str, Any]],
) -> Move | None:
    sources: list[Mapping[str, Any] | None] = [*declared] or [None]
    converted = next(
        (item for raw in sources if (item := convert_value(raw, prop, value)) is not MISSING),
        MISSING,
    )
    if converted is MISSING:
        return None
    given = {key: item for key, item in place.given.items() if key != name}
    settings = _choose_settings(place, properties, {**given, prop.name: converted})
    return None if settings is None else Move((prop.name,), converted, settings)


def _weigh(name: str, source: Mapping[str, Any] | None, target: Property) -> tuple[int, ...]:
    """Returns the evidence that two declarations are one parameter, the strongest kind first.

    These are equal choices, an equal label, and the words of the new name within the old one.
    """
    label = fold_name(str(target.raw.get("displayName") or ""))
    if source is None:
        return (0, int(bool(label) and label == fold_name(name)), 0)
    words, others = _split_words(target.name), _split_words(name)
    is_same_label = bool(label) and label == fold_name(str(source.get("displayName") or ""))
    kind = str(source.get("type"))
    is_part = bool(words) and words <= others and (kind == target.type or is_same_label)
    return (
        int(_share_choices(source, target)),
        int(is_same_label and kind == target.type),
        len(words) if is_part else 0,
    )


def _split_words(name: str) -> frozenset[str]:
    return frozenset(map(singular, split_identifier(name)))


def _share_choices(source: Mapping[str, Any], target: Property) -> bool:
    """Returns whether most of at least two choices of a list have counterparts in another."""
    if target.type != "options" or source.get("type") != "options":
        return False
    counterparts = match_choices(source, target.raw)
    count = len(only_dicts(source.get("options")))
    return len(counterparts) > 1 and len(counterparts) * 2 > count


def _find_by_choice(subject: Subject, place: Place, name: str, value: Any) -> Iterator[Move]:
    """Yields the lists in which a choice of this name shows a single parameter for the value."""
    for prop in place.level.properties:
        if prop.name in place.given or prop.type != "fixedCollection":
            continue
        if not prop.is_shown(place.simple, place.root):
            continue
        for route, level in _list_levels(subject, prop, (prop.name,)):
            yield from _find_in_level(level, route, name, value)


def _find_in_level(level: Level, route: Route, name: str, value: Any) -> Iterator[Move]:
    for chooser in level.properties:
        values = [entry.get("value") for entry in only_dicts(chooser.raw.get("options"))]
        if chooser.type != "options" or name not in values:
            continue
        shown = [
            prop
            for prop in level.properties
            if name in _conditions(prop).get(chooser.name, ()) and prop.raw.get("type") != "notice"
        ]
        if len(shown) == 1:
            converted = convert_value(None, shown[0], value)
            if converted is not MISSING:
                yield Move(route, {chooser.name: name, shown[0].name: converted}, {})


def _conditions(prop: Property) -> Mapping[str, Any]:
    shown = prop.raw.get("displayOptions")
    wanted = shown.get("show") if isinstance(shown, dict) else None
    tests = wanted if isinstance(wanted, dict) else {}
    return {key: values for key, values in tests.items() if isinstance(values, list)}
