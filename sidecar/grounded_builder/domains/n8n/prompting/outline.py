"""Describes a node's parameters for prompts, briefly or in full; finds if it needs an account."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.parameters.defaults import fill, fill_simple_values
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    LOCATORS,
    Level,
    Property,
    only_dicts,
)
from grounded_builder.domains.n8n.parameters.value_types import choices_of
from grounded_builder.domains.n8n.parameters.visibility import Condition
from grounded_builder.domains.n8n.prompting.use_counts import (
    count_uses,
    parameter_uses,
    uses_of_name,
)

# From so many nodes on, a parameter that none of them sets is left out.
_ENOUGH_NODES = 30
_LEAST_SHARE = 0.02
# Users choose credentials themselves, so drafts need no parameters about them.
_LOGIN = frozenset(
    {"authentication", "provideSslCertificates", "nodeCredentialType", "genericAuthType"}
)
_SUNDRY = frozenset({"options", "otherOptions"})
_KINDS = {
    "string": "",
    "resourceLocator": "locator",
    "workflowSelector": "locator",
    "resourceMapper": "mapper",
    "assignmentCollection": "assignments",
    "multiOptions": "list",
    "options": "",
    "credentialsSelect": "",
    "dateTime": "date",
}
# The kinds that are written inside collections too: their names do not tell their shapes.
_SHAPED = frozenset({"filter", "resourceMapper", "assignmentCollection", *LOCATORS})
_QUIET = frozenset({"notice", "callout", "button", "hidden", "credentials", "curlImport"})
# The modes of a locator that prompts state without being listed.
_USUAL_MODES = frozenset({"list", "id"})
_LONGEST_LABEL = 24
# Of a field with more choices than this only their number is stated.
_MOST_NESTED = 15


@dataclass(frozen=True, slots=True)
class _Detail:
    """The maximum numbers of listed parameters, choices, fields of a collection and parameters that
    a choice adds; the depth of shapes; whether parameters without a known use are listed, and
    whether only those are that a required choice adds.
    """

    named: int
    choices: int
    fields: int
    added: int
    depth: int
    is_whole: bool = False
    is_short: bool = False


_SHORT = _Detail(named=12, choices=7, fields=6, added=4, depth=1, is_short=True)
_BRIEF = _Detail(named=12, choices=7, fields=6, added=4, depth=2)
_WHOLE = _Detail(named=60, choices=40, fields=120, added=12, depth=4, is_whole=True)


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of parameters: their level, the values given there and at the root, the path.

    ``deciding`` are the parameters of the level on which others depend. Of a rare node or operation
    too few uses are known to tell which of its parameters people set. ``hidden`` are the parameters
    about a login that the node always needs.
    """

    spec: NodeSpec
    detail: _Detail
    level: Level
    given: Mapping[str, Any]
    root: Mapping[str, Any]
    path: str
    depth: int
    deciding: frozenset[str]
    is_rare: bool
    hidden: frozenset[str]


def brief(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """Returns the parameters shown with these presets, required ones first and marked ``*``.

    A parameter has its type, choices or fields unless it is a text. Locators count as chosen. After
    a choice stand the parameters that it adds. Parameters without a known use are omitted.
    """
    return _outline(spec, preset, _BRIEF)


def outline_shortly(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """Returns the parameters as ``brief`` does, without those that optional choices add."""
    return _outline(spec, preset, _SHORT)


def outline_all(spec: NodeSpec, preset: Mapping[str, Any]) -> str:
    """Returns all parameters shown with these presets, with all their choices and fields."""
    return _outline(spec, preset, _WHOLE)


def needs_account(spec: NodeSpec) -> bool:
    """Returns whether a node without parameters needs a credential."""
    simple, _ = fill(spec.declarations, {})
    return any(
        rule.required
        and (
            rule.condition.holds(simple, simple) if isinstance(rule.condition, Condition) else True
        )
        for rule in spec.credentials
    )


def _outline(spec: NodeSpec, preset: Mapping[str, Any], detail: _Detail) -> str:
    chosen = {
        prop.name: {"__rl": True, "mode": "id", "value": "x"}
        for prop in spec.declarations.root.properties
        if prop.type in LOCATORS
    }
    level, names = spec.declarations.root, _deciding_names(spec.declarations.root)
    known = parameter_uses(spec.id).get("", 0)
    is_rare = (min(known, count_uses(spec.id, preset)) if preset else known) < _ENOUGH_NODES
    given = {**chosen, **preset}
    hidden = _LOGIN if needs_account(spec) else frozenset[str]()
    place = _Place(spec, detail, level, given, {}, "", detail.depth, names, is_rare, hidden)
    visible = _visible(place)
    listed = list(visible.values())
    if not detail.is_whole:
        listed = list(_likely(place, listed))
    ordered = sorted(listed, key=lambda prop: not prop.raw.get("required"))
    parts = [_describe(prop, place, visible) for prop in ordered[: detail.named]]
    return ", ".join(parts) + (", ..." if len(ordered) > detail.named else "")


def _visible(place: _Place) -> dict[str, Property]:
    """Returns the parameters shown with these values by name, without those about a login that the
    node always needs.
    """
    if place.path:
        simple = fill_simple_values(place.level, dict(place.given), place.root, in_collection=False)
        root: Mapping[str, Any] = place.root
    else:
        simple, _ = fill(place.spec.declarations, dict(place.given))
        root = simple
    visible: dict[str, Property] = {}
    for prop in place.level.properties:
        is_quiet = prop.type in _QUIET or prop.name in place.hidden
        is_preset = not place.path and prop.name in place.given and prop.type not in LOCATORS
        if not is_quiet and not is_preset and prop.is_shown(simple, root):
            visible.setdefault(prop.name, prop)
    return visible


def _deciding_names(level: Level) -> frozenset[str]:
    """Returns the names in the conditions of parameters."""
    names: set[str] = set()
    for prop in level.properties:
        shown = prop.raw.get("displayOptions")
        for tests in shown.values() if isinstance(shown, dict) else ():
            if isinstance(tests, dict):
                names.update(str(name).removeprefix("/") for name in tests)
    return frozenset(names)


def _likely(place: _Place, listed: Iterable[Property]) -> Iterator[Property]:
    """Yields the parameters of a node that are required or that people set.

    Of a rare operation those count that people set in any node.
    """
    uses = parameter_uses(place.spec.id)
    nodes = uses.get("", 0)
    # The parameters of one operation of many are set by few nodes.
    has_operations = "operation" in place.spec.declarations.root.by_name
    least = 0 if has_operations else nodes * _LEAST_SHARE
    for prop in listed:
        if prop.type == "collection" and prop.name in _SUNDRY:
            is_used = bool(_used_fields(prop, place))
        else:
            is_used = nodes < _ENOUGH_NODES or uses.get(prop.name, 0) > least
        if is_used or prop.raw.get("required") or (place.is_rare and uses_of_name(prop.name)):
            yield prop


def _used_fields(prop: Property, place: _Place) -> list[str]:
    """Returns the fields of a collection that people use, most used first.

    Of a rare operation all are returned, those first that people use in any node.
    """
    uses = parameter_uses(place.spec.id)
    names = [str(entry.get("name")) for entry in only_dicts(prop.raw.get("options"))]
    if place.is_rare:
        return sorted(names, key=lambda name: -uses_of_name(name))
    least = uses.get("", 0) * _LEAST_SHARE
    counts = {name: uses.get(f"{prop.name}.{name}", 0) for name in names}
    return sorted((name for name in names if counts[name] > least), key=lambda n: -counts[n])


def _describe(prop: Property, place: _Place, visible: Mapping[str, Property]) -> str:
    return f"{prop.name}{'*' if prop.raw.get('required') else ''}{_kind_of(prop, place, visible)}"


def _kind_of(prop: Property, place: _Place, visible: Mapping[str, Property]) -> str:
    """Returns the type, choices or fields of a parameter, with a sign before them."""
    choices = choices_of(prop) if prop.type in ("options", "multiOptions") else None
    if choices is not None:
        return _list_choices(prop, tuple(dict.fromkeys(choices)), place, visible)
    if prop.type in CONTAINERS:
        return _fields_of(prop, place)
    added = ""
    if prop.type == "boolean":
        added = _added(prop, prop.default is not True, place, visible)
        if added and prop.default is True:
            return f":true|false{added}"
    if place.path and not place.detail.is_whole and prop.type not in _SHAPED and not added:
        return ""
    short = _KINDS.get(prop.type, prop.type)
    if prop.type == "resourceLocator":
        modes = [str(mode.get("name")) for mode in only_dicts(prop.raw.get("modes"))]
        added = f"({'|'.join(modes)})" if modes and set(modes) != _USUAL_MODES else ""
    return f":{short}{added}" if short else ""


def _list_choices(
    prop: Property, choices: Sequence[Any], place: _Place, visible: Mapping[str, Property]
) -> str:
    """Returns the choices of a parameter, after each the parameters that it adds."""
    is_deciding = prop.name in place.deciding and place.depth > 0 and not place.detail.is_short
    if place.path and not place.detail.is_whole and not is_deciding:
        return ""
    adding = {choice: _added(prop, choice, place, visible) for choice in choices}
    if _is_range(choices) and not any(adding.values()):
        return f":{choices[0]}-{choices[-1]}"
    if place.path and len(choices) > _MOST_NESTED and not any(adding.values()):
        return f":one of {len(choices)}"
    plain = [choice for choice in choices if not adding[choice]][: place.detail.choices]
    labels = {} if place.detail.is_short else _labels(prop)
    listed = [
        f"{labels.get(choice, _write_choice(choice))}{adding[choice]}"
        for choice in choices
        if adding[choice] or choice in plain
    ]
    return f":{'|'.join(listed)}{'|...' if len(listed) < len(choices) else ''}"


def _write_choice(choice: Any) -> str:
    """Returns a choice as it is listed, quoted if it has no words."""
    text = str(choice)
    return text if any(map(str.isalnum, text)) else json.dumps(text)


def _labels(prop: Property) -> dict[Any, str]:
    """Returns the choices that are numbers, with the names that explain them."""
    return {
        entry["value"]: f"{entry['value']}={str(entry['name'])[:_LONGEST_LABEL]}"
        for entry in only_dicts(prop.raw.get("options"))
        if type(entry.get("value")) is int and not str(entry.get("name", "0")).isdigit()
    }


def _is_range(choices: Sequence[Any]) -> bool:
    """Returns whether choices are consecutive numbers, three or more."""
    first = choices[0] if choices else None
    return (
        type(first) is int
        and len(choices) > 2
        and tuple(choices) == tuple(range(first, first + len(choices)))
    )


def _added(prop: Property, choice: Any, place: _Place, before: Mapping[str, Property]) -> str:
    """Returns the parameters that a choice adds to those shown before it, in brackets."""
    is_left_out = place.detail.is_short and not prop.raw.get("required")
    if is_left_out or prop.name not in place.deciding or not place.depth:
        return ""
    value = [choice] if prop.type == "multiOptions" else choice
    inner = replace(place, given={**place.given, prop.name: value}, depth=place.depth - 1)
    visible = _visible(inner)
    added = [item for name, item in visible.items() if name not in before and name != prop.name]
    if not place.detail.is_whole:
        added = [item for item in added if _is_worth_adding(item, place)]
    added.sort(key=lambda item: not item.raw.get("required"))
    parts = [_describe(item, inner, {**before, **visible}) for item in added[: place.detail.added]]
    return f"({','.join(parts)})" if parts else ""


def _is_worth_adding(prop: Property, place: _Place) -> bool:
    """Returns whether a parameter that a choice adds is required, or in use."""
    if prop.raw.get("required") or prop.type in LOCATORS or place.is_rare:
        return True
    uses = parameter_uses(place.spec.id)
    return uses.get(f"{place.path}{prop.name}", 0) > uses.get("", 0) * _LEAST_SHARE


def _fields_of(prop: Property, place: _Place) -> str:
    """Returns the fields of a collection, or of the entries of its groups."""
    entries = only_dicts(prop.raw.get("options"))
    path = f"{place.path}{prop.name}."
    if prop.type == "collection":
        level = place.spec.declarations.children(prop)
        return f":{{{_list_fields(prop, level, path, place)}}}"
    if not entries:
        return ":{}"
    groups = []
    for entry in entries if place.detail.is_whole else entries[:1]:
        name = str(entry.get("name"))
        inner = place.spec.declarations.group(prop, name)
        fields = "" if inner is None else _list_fields(prop, inner, f"{path}{name}.", place)
        groups.append(f"{name}:[{{{fields}}}]" if prop.multiple else f"{name}:{{{fields}}}")
    return f":{{{','.join(groups)}}}"


def _list_fields(prop: Property, level: Level, path: str, place: _Place) -> str:
    """Returns the fields of a level inside a collection."""
    simple = place.root if place.path else fill(place.spec.declarations, dict(place.given))[0]
    inner = replace(
        place,
        level=level,
        given={},
        root=simple,
        path=path,
        depth=place.depth - 1,
        hidden=frozenset(),
        deciding=_deciding_names(level),
    )
    visible = _visible(inner)
    fields = list(visible.values())
    if not place.detail.is_whole:
        fields = _usual_fields(prop, fields, inner)
    most = place.detail.fields
    if place.depth <= 0 or place.detail.is_short:
        parts = [field.name for field in fields]
    else:
        parts = [_describe(field, inner, visible) for field in fields[:most]]
    parts = parts[:most]
    return f"{','.join(parts)}{',...' if len(fields) > most else ''}"


def _usual_fields(prop: Property, fields: Sequence[Property], place: _Place) -> list[Property]:
    """Returns the fields of a collection, required ones first, then by their use."""
    if prop.type == "collection" and prop.name in _SUNDRY and place.path.count(".") == 1:
        used = _used_fields(prop, place)
        return sorted(
            (field for field in fields if field.name in used),
            key=lambda field: used.index(field.name),
        )
    uses = parameter_uses(place.spec.id)
    if prop.type != "collection" and len(fields) <= place.detail.fields:
        return list(fields)

    def rank(field: Property) -> tuple[bool, int, int]:
        count = uses.get(f"{place.path}{field.name}", 0)
        return not field.raw.get("required"), -count, -uses_of_name(field.name)

    return sorted(fields, key=rank)
