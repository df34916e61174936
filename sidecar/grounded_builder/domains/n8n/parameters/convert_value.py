"""Converts a value from the declaration of another version to that of this one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.legacy_pairs import convert_pairs
from grounded_builder.domains.n8n.parameters.locators import locate_surely
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property, only_dicts
from grounded_builder.domains.n8n.parameters.value_types import check_value, choices_of

_PAIR = ("name", "value")
_SCALARS = (str, int, float, bool)


def convert_value(source: Mapping[str, Any] | None, target: Property, value: Any) -> Any:
    """Returns the value as the target takes it, MISSING if it does not.

    ``source`` is the declaration for which the value was written, None if there is none.
    """
    if target.type == "options":
        return _convert_choice(source, target, value)
    if target.type == "fixedCollection":
        return _convert_groups(target, value)
    if target.type in LOCATORS and isinstance(value, str):
        located = locate_surely(value, target)
        return MISSING if located is None else located
    carried = convert_pairs(value, [target]) if target.type == "assignmentCollection" else None
    if carried is not None:
        return carried[1]
    if target.type == "json" and isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return MISSING if check_value(target, value) else value


def _convert_choice(source: Mapping[str, Any] | None, target: Property, value: Any) -> Any:
    """Returns the choice of the same value, or else of the same label."""
    choices = choices_of(target)
    if choices is None:
        return MISSING if check_value(target, value) else value
    if value in choices:
        return value
    counterparts = match_choices(source or {}, target.raw)
    return counterparts.get(value, MISSING) if isinstance(value, str) else MISSING


def match_choices(source: Mapping[str, Any], target: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the choice of one list for each of another: of the same value, label or single word.

    A single word is in one choice of each list: ``mergeByPosition`` is ``combineByPosition``.
    """
    old, new = _list_choices(source), _list_choices(target)
    matched: dict[str, Any] = {}
    for value, label in old.items():
        same = [other for other, text in new.items() if value == other or (label and label == text)]
        matched[value] = same[0] if len(same) == 1 else None
    old_words, new_words = _index_by_word(old), _index_by_word(new)
    for value in [value for value, other in matched.items() if other is None]:
        others = {
            new_words[word][0]
            for word, holders in old_words.items()
            if holders == [value] and len(new_words.get(word, ())) == 1
        }
        matched[value] = others.pop() if len(others) == 1 else None
    found = {value: other for value, other in matched.items() if other is not None}
    return found if len(set(found.values())) == len(found) else {}


def _list_choices(raw: Mapping[str, Any]) -> dict[str, str]:
    return {
        entry["value"]: str(entry.get("name") or "")
        for entry in only_dicts(raw.get("options"))
        if isinstance(entry.get("value"), str)
    }


def _index_by_word(choices: Mapping[str, str]) -> dict[str, list[str]]:
    holders: dict[str, list[str]] = {}
    for value in choices:
        for word in frozenset(split_identifier(value)):
            holders.setdefault(word, []).append(value)
    return holders


def _convert_groups(target: Property, value: Any) -> Any:
    """Returns a group of entries under the name that the target has for it.

    An object of plain values becomes pairs of name and value where the target has such.
    """
    groups = {
        str(group.get("name")): {str(child.get("name")) for child in only_dicts(group["values"])}
        for group in only_dicts(target.raw.get("options"))
        if isinstance(group.get("values"), list)
    }
    if not isinstance(value, dict) or not value:
        return MISSING
    if value.keys() <= groups.keys():
        return MISSING if check_value(target, value) else value
    if len(groups) != 1:
        return MISSING
    (name, children), *_ = groups.items()
    entries = next(iter(value.values())) if len(value) == 1 else None
    is_many = target.multiple is True
    if is_many and isinstance(entries, list) and entries:
        fits = all(isinstance(entry, dict) and entry.keys() <= children for entry in entries)
        return {name: entries} if fits else MISSING
    is_plain = all(isinstance(item, _SCALARS) for item in value.values())
    if is_many and is_plain and children.issuperset(_PAIR):
        return {name: [dict(zip(_PAIR, pair, strict=True)) for pair in value.items()]}
    return MISSING
