"""Finds the parameter issues that n8n itself reports (NodeHelpers.getNodeParametersIssues).

n8n checks only values at the root or in a group of a fixed collection at the root. For deeper
values it reads a path that does not exist, and it looks for the children of a collection among the
parameters of the node. Both are reproduced, since n8n rejects workflows accordingly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.field_types import matches_field_type
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    get_nested,
    is_truthy,
    look_up,
    split_path,
    text_of,
)
from grounded_builder.domains.n8n.parameters.patterns import pattern_matches
from grounded_builder.domains.n8n.parameters.properties import (
    LOCATORS,
    REQUIRABLE,
    Declarations,
    Property,
)
from grounded_builder.domains.n8n.parameters.visibility_plan import VisibilityPlan

Fault = Literal["missing", "pattern", "type", "few", "many"]


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue that n8n reports: its key in n8n and the route of the value.

    ``expected`` is a type, the explanation of a pattern or a number, depending on the fault.
    """

    fault: Fault
    key: str
    property: Property
    route: Route
    value: Any = MISSING
    expected: str = ""


@dataclass(frozen=True, slots=True)
class _Place:
    """The location of declarations: their values, the root's, and how deep n8n reads there."""

    level: Any
    root: Any
    route: Route
    depth: Literal["root", "item", "unread"]

    def value(self, name: str) -> Any:
        if self.depth == "root":
            return look_up(self.level, name)
        return get_nested(self.level, split_path(name))


def find_issues(
    declarations: Declarations, plan: VisibilityPlan, full: Mapping[str, Any]
) -> Iterator[Issue]:
    """Yields all issues of the filled parameters of an enabled node."""
    place = _Place(full, full, (), "root")
    for suspect in plan.suspects:
        shown = suspect.step.is_shown(full, full)
        prop = suspect.step.property
        if suspect.inside:
            inside = _Place(full, full, suspect.inside, "root")
            yield from _issues(declarations, prop, inside, shown)
        elif shown or prop.raw.get("validateType"):
            yield from _issues(declarations, prop, place, shown)


def _issues(
    declarations: Declarations, prop: Property, place: _Place, shown: bool
) -> Iterator[Issue]:
    if shown and prop.raw.get("required") is True and prop.type in REQUIRABLE:
        yield from _required_issues(prop, place)
    kind = prop.raw.get("validateType")
    if prop.type in LOCATORS and shown:
        yield from _locator_issues(prop, place)
    elif prop.type == "resourceMapper" and shown:
        yield from _mapping_issues(prop, place)
    elif prop.type == "filter" and shown:
        yield from _filter_issues(prop, place)
    elif isinstance(kind, str) and kind:
        yield from _typed_issues(prop, kind, place)
    if prop.type == "collection" and place.depth != "root":
        inside = _Place(MISSING, place.root, (*place.route, prop.name), "unread")
        for child in declarations.children(prop).suspects:
            yield from _issues(declarations, child, inside, child.is_shown(MISSING, place.root))
    elif prop.type == "fixedCollection" and shown:
        yield from _group_issues(declarations, prop, place)


def _required_issues(prop: Property, place: _Place) -> Iterator[Issue]:
    value = place.value(prop.name)
    values = [value]
    if prop.multiple is not None:
        values = value if isinstance(value, list) else []
    for single in values:
        if _is_missing(prop.type, single):
            yield Issue("missing", prop.name, prop, (*place.route, prop.name), single)


def _is_missing(kind: str, value: Any) -> bool:
    if kind in LOCATORS:
        if isinstance(value, dict):
            pointed = value.get("value")
            return not is_truthy(pointed) and pointed.__class__ not in (int, float)
        return value is MISSING or value is None or isinstance(value, list) or not value
    if kind == "multiOptions":
        return isinstance(value, list) and not value
    return value is MISSING or (isinstance(value, str) and not value)


def _locator_issues(prop: Property, place: _Place) -> Iterator[Issue]:
    return locator_issues(prop, place.value(prop.name), (*place.route, prop.name))


def locator_issues(prop: Property, value: Any, at: Route) -> Iterator[Issue]:
    """Yields the issues of a locator whose value does not match the pattern of its mode.

    `at` is the route of the locator.
    """
    if not isinstance(value, dict) or "value" not in value or "mode" not in value:
        return
    pointed = value["value"]
    text = "" if pointed is None else text_of(pointed)
    if text.startswith("="):
        return
    for mode in prop.raw.get("modes") or ():
        if mode.get("name") != value["mode"]:
            continue
        for rule in mode.get("validation") or ():
            facts = rule.get("properties") if isinstance(rule, dict) else None
            if isinstance(facts, dict) and rule.get("type") == "regex":
                pattern = facts.get("regex")
                if isinstance(pattern, str) and pattern_matches(f"^{pattern}$", text) is False:
                    why = str(facts.get("errorMessage") or "")
                    yield Issue("pattern", prop.name, prop, (*at, "value"), pointed, why)
        return


def _mapping_issues(prop: Property, place: _Place) -> Iterator[Issue]:
    value = place.value(prop.name)
    if not isinstance(value, dict) or not value.keys() >= {"mappingMode", "schema", "value"}:
        return
    if value["mappingMode"] == "autoMapInputData":
        return
    here = (*place.route, prop.name)
    schema, mapped = value["schema"], value["value"]
    if not isinstance(schema, list):
        yield Issue("type", prop.name, prop, (*here, "schema"), schema, "array")
        return
    mapper = prop.options.get("resourceMapper")
    adds = isinstance(mapper, dict) and mapper.get("mode") == "add"
    for entry in schema:
        if not isinstance(entry, dict):
            continue
        name = entry.get("id")
        is_named = isinstance(mapped, dict) and isinstance(name, str)
        given = mapped.get(name, MISSING) if is_named else MISSING
        if not is_truthy(mapped):
            given = None
        key, route = f"{prop.name}.{name}", (*here, "value", str(name))
        if is_truthy(entry.get("required")) and adds and (mapped is None or given is MISSING):
            yield Issue("missing", key, prop, route)
        kind = entry.get("type")
        if isinstance(kind, str) and not text_of(given).startswith("="):
            choices = [c.get("value") for c in entry.get("options") or () if isinstance(c, dict)]
            if not matches_field_type(given, kind, choices):
                yield Issue("type", key, prop, route, given, kind)


def _filter_issues(prop: Property, place: _Place) -> Iterator[Issue]:
    """Yields an issue if the conditions of a filter are not a list, n8n's only check of them."""
    value = place.value(prop.name)
    if not isinstance(value, dict) or "conditions" not in value or "combinator" not in value:
        return
    conditions = value["conditions"]
    if not isinstance(conditions, list):
        route = (*place.route, prop.name, "conditions")
        yield Issue("type", prop.name, prop, route, conditions, "array")


def _typed_issues(prop: Property, kind: str, place: _Place) -> Iterator[Issue]:
    return typed_issues(prop, kind, place.value(prop.name), (*place.route, prop.name))


def typed_issues(prop: Property, kind: str, value: Any, at: Route) -> Iterator[Issue]:
    """Yields the issue of a value that does not match a field type; `at` is its route."""
    if value is MISSING or value is None or text_of(value).startswith("="):
        return
    choices = [c.get("value") for c in prop.raw.get("options") or () if isinstance(c, dict)]
    if not matches_field_type(value, kind, choices):
        yield Issue("type", prop.name, prop, at, value, kind)


def _group_issues(declarations: Declarations, prop: Property, place: _Place) -> Iterator[Issue]:
    route = (*place.route, prop.name)
    owner = place.value(prop.name) if place.depth == "root" else MISSING
    fewest, most = prop.options.get("minRequiredFields"), prop.options.get("maxAllowedFields")
    for group in prop.raw.get("options") or ():
        if not isinstance(group, dict) or not isinstance(group.get("name"), str):
            continue
        name = group["name"]
        value = owner.get(name, MISSING) if isinstance(owner, dict) else MISSING
        count = len(value) if isinstance(value, list) else 0
        if isinstance(most, int) and most and count > most:
            yield Issue("many", prop.name, prop, (*route, name), count, str(most))
        elif isinstance(fewest, int) and count < fewest:
            yield Issue("few", prop.name, prop, (*route, name), count, str(fewest))
        level = declarations.level(group.get("values") or [])
        if value is MISSING or not level.suspects:
            continue
        root = place.level.get("parameters", MISSING) if prop.name == "parameters" else place.root
        if prop.multiple is None:
            items = [((*route, name), value)]
        else:
            entries = value if isinstance(value, list) else []
            items = [((*route, name, index), item) for index, item in enumerate(entries)]
        for at, item in items:
            inside = _Place(item, root, at, "item")
            for child in level.suspects:
                yield from _issues(declarations, child, inside, child.is_shown(item, root))
