"""Finds the active configuration file of a package, and reads and compares its settings."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping

from grounded_builder.domains.simulink.read.section import Part, Room
from grounded_builder.domains.simulink.read.xml_text import read_xml

_SET = re.compile(r"simulink/configSet\d+\.xml")
_LISTED = "simulink/configSetInfo.xml"
_CLASS = "Simulink.ConfigSet"
_ABOUT = frozenset(
    """
    PropName ObjectID Version ClassName Name Type Dimension DisabledProps Description Components
    """.split()
)


def active_file(files: Mapping[str, bytes], room: Room) -> str | None:
    """Returns the file of the active set: the one that the package marks, or the only one."""
    sets = sorted(filter(_SET.fullmatch, files))
    if len(sets) == 1:
        return sets[0]
    if _LISTED in files:
        for part in read_xml(files[_LISTED], _LISTED, room).parts:
            file = part.own.get("PartName", "").lstrip("/")
            if part.own.get("Active") == "true" and file in sets:
                return file
    return None


def read_agreed_settings(part: Part) -> dict[str, str]:
    """Returns the values of the sets that a diagram lists, without those in which sets differ."""
    sets = [item for item in part.parts if _CLASS in (item.tag, item.own.get("ClassName"))]
    if len(sets) < 2:
        return settings_of(part)
    results = [settings_of(item) for item in sets]
    return {
        name: value
        for name, value in results[0].items()
        if all(other.get(name) == value for other in results[1:])
    }


def settings_of(part: Part) -> dict[str, str]:
    """Returns the values of a configuration set and its components; the first of a name counts."""
    settings: dict[str, str] = {}
    waiting = deque([part])
    while waiting:
        here = waiting.popleft()
        for key, value in here.own.items():
            if not key.startswith("$") and key not in _ABOUT:
                settings.setdefault(key, value)
        waiting += here.parts
    return settings
