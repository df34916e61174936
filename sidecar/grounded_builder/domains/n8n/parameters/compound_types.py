"""Checks the shape of compound values: collections, locators, mappings, assignments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.field_types import matches_field_type
from grounded_builder.domains.n8n.parameters.javascript_semantics import (
    MISSING,
    is_expression,
    kind_of,
)
from grounded_builder.domains.n8n.parameters.locators import (
    complete_locator,
    is_unfit,
    locate_surely,
)
from grounded_builder.domains.n8n.parameters.mappings import (
    DEFINED_BELOW,
    MAPPING_KEYS,
    complete_mapping,
)
from grounded_builder.domains.n8n.parameters.mismatch import (
    Mismatch,
    loose_type,
    unknown_option,
    wrong_type,
)
from grounded_builder.domains.n8n.parameters.operators import find_type
from grounded_builder.domains.n8n.parameters.properties import Property

_LOCATOR = 'locator {"__rl": true, "mode", "value"}'
_MAPPING = 'mapping {"mappingMode", "value", "schema"}'
_MAPPINGS = (DEFINED_BELOW, "autoMapInputData")
# The types to which n8n converts assigned values (n8n-workflow, validateFieldType), and files.
_ASSIGNMENT_TYPES = ("string", "number", "boolean", "array", "object", "dateTime", "binary")
_CONVERTED_TYPES = frozenset(_ASSIGNMENT_TYPES) - {"string", "binary"}
# n8n's editor writes this type for an empty value, which n8n does not convert.
_EMPTY_TYPE = "null"
_ASSIGNMENT = 'assignment {"name", "type", "value"}'
# Keys of an assignment other than its name and value.
_OTHER_KEYS = frozenset({"id", "type"})
_NAME_SYNONYMS = frozenset({"key", "field", "fieldName", "column", "property"})
_VALUE_SYNONYMS = frozenset({"value", "val"})
_ASSIGNMENTS = 'object {"assignments": [...]}'


def check_collection(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields a mismatch unless a collection is an object, or a list if it is multiple."""
    if isinstance(value, dict) or value == []:
        return
    if prop.multiple is not True:
        yield wrong_type("object", value, instead=_unwrap_collection(prop, value))
    elif not isinstance(value, list):
        yield wrong_type("list", value)


def check_fixed_collection(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields the mismatches of groups by name; a group with multiple entries must be a list.

    n8n cannot load another value, and replaces an entry that is not an object by the defaults.
    """
    if not isinstance(value, dict):
        if value != []:
            yield wrong_type("object", value, instead=_wrap_in_group(prop, value))
        return
    names = {
        entry.get("name") for entry in prop.raw.get("options") or () if isinstance(entry, dict)
    }
    if value and not names & value.keys():
        grouped = _wrap_in_group(prop, value)
        if grouped is not MISSING:
            yield wrong_type(f'object {{"{next(iter(grouped))}": ...}}', value, instead=grouped)
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
                yield wrong_type("object", group, (name,), instead=group[0] if alone else MISSING)
        elif isinstance(group, list):
            yield from _check_entries(name, group)
        else:
            instead = [group] if isinstance(group, dict) else MISSING
            yield wrong_type("list", group, (name,), instead=instead)


def _check_entries(name: str, group: list[Any]) -> Iterator[Mismatch]:
    for index, entry in enumerate(group):
        if is_expression(entry):
            yield Mismatch("expression", entry, "object", (), (name, index))
        elif entry is not None and not isinstance(entry, dict):
            yield wrong_type("object", entry, (name, index))


def check_locator(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields the mismatches of a locator, an object with its target in ``value``.

    Without ``mode`` n8n passes on the whole object. It also passes on a text: most nodes take it
    for the target, some find no value in it.
    """
    if isinstance(value, str):
        located = locate_surely(value, prop)
        if located is not None:
            yield loose_type(_LOCATOR, value, instead=located)
    elif isinstance(value, list | bool):
        yield wrong_type("locator", value)
    if not isinstance(value, dict):
        return
    mode, pointed = value.get("mode"), value.get("value")
    if not value.keys() & {"mode", "value", "__rl"}:
        yield wrong_type(_LOCATOR, value)
    elif isinstance(pointed, dict | list):
        yield wrong_type("text or a number", pointed, ("value",))
    elif mode is None and pointed not in (None, ""):
        yield wrong_type(_LOCATOR, value, instead=complete_locator(value, prop))
    elif is_unfit(value, prop):
        yield loose_type(_LOCATOR, value, instead=complete_locator(value, prop))
    elif value.get("__rl") is not True and isinstance(mode, str) and "value" in value:
        yield loose_type(_LOCATOR, value, instead={**value, "__rl": True})


def check_mapping(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields the mismatches of a resource mapper: mode, values by column, columns to match on.

    No node reads an object without any of these keys; without a mode some nodes read the values and
    others fail.
    """
    del prop
    if not isinstance(value, dict):
        if value != []:
            yield wrong_type("object", value)
        return
    if MAPPING_KEYS.isdisjoint(value):
        yield wrong_type(_MAPPING, value)
        return
    mode = value.get("mappingMode")
    whole = complete_mapping(value)
    if whole != value:
        yield loose_type(_MAPPING, value, instead=whole)
    if isinstance(mode, dict | list):
        yield wrong_type(" or ".join(_MAPPINGS), mode, ("mappingMode",))
    elif isinstance(mode, str) and mode and mode not in _MAPPINGS and not is_expression(mode):
        yield unknown_option(_MAPPINGS, mode, ("mappingMode",), "a mapping mode")
    mapped = value.get("value")
    if mapped not in (None, "", []) and not isinstance(mapped, dict) and not is_expression(mapped):
        yield wrong_type("object keyed by columns", mapped, ("value",))
    matching = value.get("matchingColumns")
    if matching in (None, "", {}) or isinstance(matching, list) or is_expression(matching):
        return
    instead = [matching] if isinstance(matching, str) else MISSING
    yield wrong_type("list of columns", matching, ("matchingColumns",), instead=instead)


def check_assignments(prop: Property, value: Any) -> Iterator[Mismatch]:
    """Yields the mismatches of a list of names, types and values; n8n fails at a missing type."""
    del prop
    if not isinstance(value, dict):
        if value != []:
            instead = {"assignments": value} if isinstance(value, list) else MISSING
            yield wrong_type(_ASSIGNMENTS, value, instead=instead)
        return
    assignments = value.get("assignments", MISSING)
    if assignments is MISSING:
        if value:
            yield wrong_type(_ASSIGNMENTS, value)
        return
    if not isinstance(assignments, list):
        if not is_expression(assignments):
            yield wrong_type("list", assignments, ("assignments",))
        return
    for index, entry in enumerate(assignments):
        if not is_expression(entry):
            yield from _check_assignment(entry, ("assignments", index))


def _check_assignment(entry: Any, here: Route) -> Iterator[Mismatch]:
    if not isinstance(entry, dict):
        yield wrong_type(_ASSIGNMENT, entry, here)
        return
    if "name" not in entry and entry.keys() - _OTHER_KEYS:
        # n8n sets a field named "undefined" (Set v2, prepareReturnItem).
        yield wrong_type(_ASSIGNMENT, entry, here, instead=_rename_keys(entry))
        return
    kind, value = entry.get("type"), entry.get("value")
    if kind is None:
        if value is not None:
            instead = MISSING if is_expression(value) else {**entry, "type": kind_of(value)}
            yield wrong_type('assignment with a "type"', entry, here, instead=instead)
    elif not isinstance(kind, str):
        yield wrong_type("type of a value", kind, (*here, "type"))
    elif kind not in _ASSIGNMENT_TYPES and kind != _EMPTY_TYPE and not is_expression(kind):
        # n8n does not convert a value of an unknown type: only the type of the value fits.
        intended = find_type(kind, (kind_of(value),)) if not is_expression(value) else None
        yield unknown_option(
            _ASSIGNMENT_TYPES, kind, (*here, "type"), "a type of value", intended=intended
        )
    elif (
        kind in _CONVERTED_TYPES
        and value != ""
        and not is_expression(value)
        and not matches_field_type(value, kind)
    ):
        yield Mismatch("conversion", value, kind, (), (*here, "value"))


def _rename_keys(entry: dict[str, Any]) -> Any:
    """Returns the assignment with standard keys for name and value, MISSING if ambiguous."""
    names, values = _NAME_SYNONYMS & entry.keys(), _VALUE_SYNONYMS & entry.keys()
    if len(names) != 1 or len(values) != 1 or entry.keys() - names - values - _OTHER_KEYS:
        return MISSING
    (name,), (value,) = names, values
    if not isinstance(entry[name], str) or not entry[name]:
        return MISSING
    rest = {key: item for key, item in entry.items() if key in _OTHER_KEYS}
    kind = {} if "type" in rest or is_expression(entry[value]) else {"type": kind_of(entry[value])}
    return {**rest, "name": entry[name], **kind, "value": entry[value]}


def _unwrap_collection(prop: Property, value: Any) -> Any:
    """Returns the only collection of a list if all its names are known, otherwise MISSING."""
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        return MISSING
    return value[0] if value[0] and value[0].keys() <= _names(prop.raw.get("options")) else MISSING


def _wrap_in_group(prop: Property, value: Any) -> Any:
    """Returns the entries under the only group that has all of their names, otherwise MISSING.

    Entries that already have the name of a group are not wrapped.
    """
    entries = value if isinstance(value, list) else [value]
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        return MISSING
    groups = [group for group in prop.raw.get("options") or () if isinstance(group, dict)]
    group_names = {group.get("name") for group in groups}
    given = {name for entry in entries for name in entry}
    if given & group_names:
        return MISSING
    fitting = [group["name"] for group in groups if given <= _names(group.get("values"))]
    if len(fitting) != 1:
        return MISSING
    if prop.multiple is True:
        return {fitting[0]: entries}
    return {fitting[0]: entries[0]} if len(entries) == 1 else MISSING


def _names(declarations: Any) -> set[str]:
    return {
        entry["name"]
        for entry in declarations or ()
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    }
