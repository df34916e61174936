"""Lists duplicate options, undeclared names and malformed declarations in a catalog entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import orjson

from grounded_builder.domains.n8n.parameters.declaration_shape import find_malformed_parts
from grounded_builder.domains.n8n.parameters.properties import only_dicts

_CHOOSING = frozenset({"options", "multiOptions"})


def contradictions(tool: Mapping[str, Any]) -> Iterator[str]:
    """Returns one line for each duplicate option, undeclared name and malformed part of a
    declaration.

    Names are used by conditions (``displayOptions``) and by ports that depend on parameters.
    """
    for variant in tool["variants"]:
        root = _names(variant["parameters"])
        known = f"version {max(variant['versions']):g}"
        for name in chain(
            _parameter_contradictions(variant["parameters"], root, ""),
            _port_contradictions(variant, root),
        ):
            yield f"{tool['id']} ({known}): {name}"


def _parameter_contradictions(parameters: Any, root: frozenset[str], inside: str) -> Iterator[str]:
    here = _names(parameters)
    for entry in only_dicts(parameters):
        name = f"{inside}{entry.get('name')}"
        for key, form in find_malformed_parts(entry):
            yield f'"{name}": its {key} are no {form} and are not read'
        if entry.get("type") in _CHOOSING:
            for value in _duplicates(entry.get("options")):
                yield f'"{name}" has the option {value} twice'
        for key in _names_in_conditions(entry.get("displayOptions")):
            first = key.removeprefix("/").partition(".")[0].partition("[")[0]
            if first not in (root if key.startswith("/") else here):
                yield f'"{name}" is shown by "{key}", which is not declared'
        if entry.get("type") == "collection":
            yield from _parameter_contradictions(entry.get("options"), root, f"{name}.")
        elif entry.get("type") == "fixedCollection":
            for group in only_dicts(entry.get("options")):
                inner = f"{name}.{group.get('name')}."
                yield from _parameter_contradictions(group.get("values"), root, inner)


def _port_contradictions(variant: Mapping[str, Any], root: frozenset[str]) -> Iterator[str]:
    for side in ("inputs", "outputs"):
        declared = variant[side]
        if not isinstance(declared, Mapping):
            continue
        read = [key for row in declared.get("table", ()) for key in row["when"]]
        for path in dict.fromkeys((*declared.get("reads", ()), *read)):
            if path != "@version" and path.partition(".")[0] not in root:
                yield f'its {side} depend on "{path}", which is not declared'


def _names_in_conditions(conditions: Any) -> list[str]:
    """Returns the names in conditions, without facts about the node itself."""
    sides = conditions.values() if isinstance(conditions, Mapping) else ()
    keys = (key for side in sides if isinstance(side, Mapping) for key in side)
    return [key for key in dict.fromkeys(keys) if not key.startswith("@")]


def _duplicates(options: Any) -> list[str]:
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for option in only_dicts(options):
        if "value" in option:
            written = orjson.dumps(option["value"]).decode()[:60]
            if written in seen:
                twice[written] = None
            seen.add(written)
    return list(twice)


def _names(parameters: Any) -> frozenset[str]:
    return frozenset(str(entry["name"]) for entry in only_dicts(parameters) if "name" in entry)
