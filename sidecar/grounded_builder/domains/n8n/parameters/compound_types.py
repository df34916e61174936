"""The shapes of values that hold others: collections, locators, mappings, assignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.field_types import fits
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    kind_of,
    text_of,
)
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch, loosely, not_a, not_among
from grounded_builder.domains.n8n.parameters.nesting import regrouped, unlisted
from grounded_builder.domains.n8n.parameters.operators import type_meant
from grounded_builder.domains.n8n.parameters.patterns import found_in
from grounded_builder.domains.n8n.parameters.properties import Property, dicts

_LOCATOR = 'locator {"__rl": true, "mode", "value"}'
_MAPPING = 'mapping {"mappingMode", "value"}'
_MAPPED = frozenset(
    "mappingMode value schema matchingColumns attemptToConvertTypes convertFieldsToString".split()
)
_MAPPINGS = ("defineBelow", "autoMapInputData")
# What n8n converts assigned values to (n8n-workflow, validateFieldType), and files.
_ASSIGNED = ("string", "number", "boolean", "array", "object", "dateTime", "binary")
_CONVERTED = frozenset(_ASSIGNED) - {"string", "binary"}
# The editor's own templates write it for an empty value; n8n leaves such a value as it is.
_EMPTY_TYPE = "null"
_ASSIGNMENT = 'assignment {"name", "type", "value"}'
# What an assignment may hold beside what it assigns.
_BESIDE_NAMES = frozenset({"id", "type"})
_NAMES = frozenset({"key", "field", "fieldName", "column", "property"})
_VALUES = frozenset({"value", "val"})
_ASSIGNMENTS = 'object {"assignments": [...]}'


def misfits_of_collection(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields a collection is an object; one that may be given several times a list."""
    if isinstance(value, dict) or value == []:
        return
    if prop.multiple is not True:
        yield not_a("object", value, instead=unlisted(prop, value))
    elif not isinstance(value, list):
        yield not_a("list", value)


def misfits_of_groups(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Groups by name. One that may be given several times is a list: n8n cannot load another value.

    Entries that are no objects are lost: n8n replaces them by an entry of defaults.
    """
    if not isinstance(value, dict):
        if value != []:
            yield not_a("object", value, instead=regrouped(prop, value))
        return
    names = {
        entry.get("name") for entry in prop.raw.get("options") or () if isinstance(entry, dict)
    }
    if value and not names & value.keys():
        grouped = regrouped(prop, value)
        if grouped is not MISSING:
            yield not_a(f'object {{"{next(iter(grouped))}": ...}}', value, instead=grouped)
            return
    for name, group in value.items():
        if name not in names:
            continue
        if is_expression(group):
            expected = "list" if prop.multiple is True else "object"
            yield Mismatch("expression", group, expected, (), (name,))
        elif prop.multiple is not True:
            if group is not None and group not in ("", []) and not isinstance(group, dict):
                alone = isinstance(group, list) and len(group) == 1 and isinstance(group[0], dict)
                yield not_a("object", group, (name,), instead=group[0] if alone else MISSING)
        elif isinstance(group, list):
            yield from _entries(name, group)
        else:
            instead = [group] if isinstance(group, dict) else MISSING
            yield not_a("list", group, (name,), instead=instead)


def _entries(name: str, group: list[Any]) -> Iterator[Mismatch]:
    for index, entry in enumerate(group):
        if is_expression(entry):
            yield Mismatch("expression", entry, "object", (), (name, index))
        elif entry is not None and not isinstance(entry, dict):
            yield not_a("object", entry, (name, index))


def misfits_of_locator(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields what a locator points to lies in ``value``; without ``mode`` n8n hands on it all.

    It hands on a text too: most nodes take it for what is pointed to, some find no value in it. So
    it is told where it is plain which locator is meant.
    """
    if isinstance(value, str):
        instead = _located(prop, value)
        if instead is not MISSING:
            yield loosely(_LOCATOR, value, instead=instead)
    elif isinstance(value, list | bool):
        yield not_a("locator", value)
    if not isinstance(value, dict):
        return
    mode, pointed = value.get("mode"), value.get("value")
    modes = [entry.get("name") for entry in prop.raw.get("modes") or () if isinstance(entry, dict)]
    if not value.keys() & {"mode", "value", "__rl"}:
        yield not_a(_LOCATOR, value)
    elif mode is None and pointed not in (None, ""):
        chosen = "id" if "id" in modes else modes[0] if len(modes) == 1 else None
        instead = {"__rl": True, **value, "mode": chosen} if chosen else MISSING
        yield not_a(_LOCATOR, value, instead=instead)
    elif value.get("__rl") is not True and isinstance(mode, str) and "value" in value:
        yield loosely(_LOCATOR, value, instead={**value, "__rl": True})
    if isinstance(mode, str) and mode and modes and mode not in modes and not is_expression(mode):
        yield not_among(tuple(map(text_of, modes)), mode, ("mode",), "a mode")
    if isinstance(pointed, dict | list):
        yield not_a("text or a number", pointed, ("value",))


def _located(prop: Property, text: str) -> Any:
    """The text as a locator of the one mode that it can be of; MISSING where that is not plain.

    A list is chosen from in the editor: its mode is for what has no other.
    """
    modes = {str(mode["name"]): mode for mode in dicts(prop.raw.get("modes")) if "name" in mode}
    is_address = text.startswith(("http://", "https://"))
    typed = [name for name in modes if name != "list" and (name == "url") is is_address]
    fitting = [name for name in typed or modes if _allows(modes[name], text)]
    if len(fitting) != 1:
        return MISSING
    return {"__rl": True, "mode": fitting[0], "value": text}


def _allows(mode: Mapping[str, Any], text: str) -> bool:
    """Returns whether the patterns of a mode, if it has any, take a text."""
    for rule in dicts(mode.get("validation")):
        facts = rule.get("properties")
        pattern = facts.get("regex") if isinstance(facts, dict) else None
        if isinstance(pattern, str) and found_in(f"^{pattern}$", text) is not True:
            return False
    return True


def misfits_of_mapping(one: Property, value: Any) -> Iterator[Mismatch]:
    """Columns and their values: an object with a mode, the values and the columns to match on.

    Of an object without any of its names no node reads anything; without a mode some nodes read
    the values and others fail.
    """
    del one
    if not isinstance(value, dict):
        if value != []:
            yield not_a("object", value)
        return
    if _MAPPED.isdisjoint(value):
        yield not_a(_MAPPING, value)
        return
    mode = value.get("mappingMode")
    if mode is None and isinstance(value.get("value"), dict) and value["value"]:
        yield loosely(_MAPPING, value, instead={**value, "mappingMode": _MAPPINGS[0]})
    if isinstance(mode, dict | list):
        yield not_a(" or ".join(_MAPPINGS), mode, ("mappingMode",))
    elif isinstance(mode, str) and mode and mode not in _MAPPINGS and not is_expression(mode):
        yield not_among(_MAPPINGS, mode, ("mappingMode",), "a mapping mode")
    mapped = value.get("value")
    if mapped not in (None, "", []) and not isinstance(mapped, dict) and not is_expression(mapped):
        yield not_a("object keyed by columns", mapped, ("value",))
    matching = value.get("matchingColumns")
    if matching in (None, "", {}) or isinstance(matching, list) or is_expression(matching):
        return
    instead = [matching] if isinstance(matching, str) else MISSING
    yield not_a("list of columns", matching, ("matchingColumns",), instead=instead)


def misfits_of_assignments(one: Property, value: Any) -> Iterator[Mismatch]:
    """Yields a list of names with values and their types; n8n breaks at a value without a type."""
    del one
    if not isinstance(value, dict):
        if value != []:
            instead = {"assignments": value} if isinstance(value, list) else MISSING
            yield not_a(_ASSIGNMENTS, value, instead=instead)
        return
    listed = value.get("assignments", MISSING)
    if listed is MISSING:
        if value:
            yield not_a(_ASSIGNMENTS, value)
        return
    if not isinstance(listed, list):
        if not is_expression(listed):
            yield not_a("list", listed, ("assignments",))
        return
    for index, entry in enumerate(listed):
        if not is_expression(entry):
            yield from _assignment(entry, ("assignments", index))


def _assignment(entry: Any, here: Route) -> Iterator[Mismatch]:
    if not isinstance(entry, dict):
        yield not_a(_ASSIGNMENT, entry, here)
        return
    if "name" not in entry and entry.keys() - _BESIDE_NAMES:
        # n8n makes a field called "undefined" of it (Set v2, prepareReturnItem).
        yield not_a(_ASSIGNMENT, entry, here, instead=_renamed(entry))
        return
    kind, value = entry.get("type"), entry.get("value")
    if kind is None:
        if value is not None:
            instead = MISSING if is_expression(value) else {**entry, "type": kind_of(value)}
            yield not_a('assignment with a "type"', entry, here, instead=instead)
    elif not isinstance(kind, str):
        yield not_a("type of a value", kind, (*here, "type"))
    elif kind not in _ASSIGNED and kind != _EMPTY_TYPE and not is_expression(kind):
        # n8n hands a value of an unknown type on as it is: only its own type changes nothing.
        result = type_meant(kind, (kind_of(value),)) if not is_expression(value) else None
        yield not_among(_ASSIGNED, kind, (*here, "type"), "a type of value", meant=result)
    elif kind in _CONVERTED and value != "" and not is_expression(value) and not fits(value, kind):
        yield Mismatch("conversion", value, kind, (), (*here, "value"))


def _renamed(entry: dict[str, Any]) -> Any:
    """The assignment whose name and value are called otherwise; MISSING where that is not plain."""
    names, values = _NAMES & entry.keys(), _VALUES & entry.keys()
    if len(names) != 1 or len(values) != 1 or entry.keys() - names - values - _BESIDE_NAMES:
        return MISSING
    (name,), (value,) = names, values
    if not isinstance(entry[name], str) or not entry[name]:
        return MISSING
    rest = {key: item for key, item in entry.items() if key in _BESIDE_NAMES}
    kind = {} if "type" in rest or is_expression(entry[value]) else {"type": kind_of(entry[value])}
    return {**rest, "name": entry[name], **kind, "value": entry[value]}
