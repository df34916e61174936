"""Corrects documented parameters whose table was split at the wrong place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from scripts.simulink.sources import Sources, documented_name

# Listed values with the default in braces: 'on' | {'off'}.
_QUOTED = re.compile(r"\s*(\{?)['?](.*?)'(\}?)\s*")
_WORDS = re.compile(r"[A-Za-z][\w .,:/+()<>-]*")
_OPENING = {"(": ")", "[": "]", "{": "}"}


def documented_for(sources: Sources, key: str | None) -> Mapping[str, Any]:
    """Return the documented parameters under a key; empty if it is not documented."""
    if key is None:
        return {}
    value = sources.documented[key]["params"]
    return {name: fix_parameter(item) for name, item in value.items() if item.get("raw")}


def fix_parameter(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a parameter with the values of its line; without values if the line is broken."""
    line = entry["raw"].rpartition(" ? ")[2]
    listed = [_QUOTED.fullmatch(part) for part in line.split("|")]
    values = [match[2].lstrip("?") for match in listed if match]
    defaults = [m[2].lstrip("?") for m in listed if m and m[1] and m[3]]
    default = defaults[0] if len(defaults) == 1 else entry.get("default")
    if default is not None and not is_balanced(default):
        default = None
    enum = entry.get("enum")
    if enum and all(listed):
        enum = values
    elif enum and not all(map(_WORDS.fullmatch, enum)):
        enum = None
    return {**entry, "default": default, "enum": enum}


def is_balanced(text: str) -> bool:
    """Return whether the brackets and quotes of a value are closed."""
    waiting: list[str] = []
    quoted = False
    for place, mark in enumerate(text):
        if mark == "'":
            # After a value, the quote transposes.
            transposes = not quoted and place > 0 and re.match(r"[\w)\].']", text[place - 1])
            quoted = not quoted and not transposes
        elif quoted:
            continue
        elif mark in _OPENING:
            waiting.append(_OPENING[mark])
        elif mark in _OPENING.values() and (not waiting or waiting.pop() != mark):
            return False
    return not waiting and not quoted


def documents_of(sources: Sources) -> dict[str, str]:
    """Return the documented entry of each path, by its name inside the base library."""
    by_name = {documented_name(key)[0]: key for key in sources.documented}
    entries = {}
    for path in (*sources.paths, *sources.blocks):
        name = path.rsplit("/", 1)[1] if "/" in path else path
        if path.startswith("simulink/") and name in by_name:
            entries[path] = by_name[name]
    by_type: dict[str, list[str]] = defaultdict(list)
    for key, item in sources.documented.items():
        by_type[item["type"]].append(key)
    for path, kind in sources.paths.items():
        if path.startswith("simulink/") and path not in entries and kind in by_type:
            entries[path] = by_type[kind][0]
    return entries
