"""Tells which errors of a peer the installed catalog refutes, and which only ask for values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evals.faults.scene import Placed, Scene

Said = tuple[str | None, str]

_TYPE = re.compile(r'Unknown node type: "([^"]+)"')
_VERSION = re.compile(r"typeVersion \S+ exceeds maximum supported version")
_OPTION = re.compile(r"Invalid value for '([^'.]+)'\. Must be one of")
_EMPTY = re.compile(r"cannot be empty$|is required$|^Workflow Tool .* has no workflowId")


def is_refuted(text: Said, scene: Scene) -> bool:
    """Whether the type, version or option that an error denies is installed and listed."""
    name, message = text
    unknown = _TYPE.match(message)
    if unknown is not None:
        return unknown[1] in scene.catalog.tools
    node = scene.by_name.get(name or "")
    if node is None:
        return False
    if _VERSION.match(message):
        return True  # a node that is placed has a version that is installed
    refused = _OPTION.match(message)
    return refused is not None and _lists(node, refused[1])


def asks_only(errors: Iterable[Said]) -> bool:
    """Whether errors do no more than ask for values that are not there."""
    return all(_EMPTY.search(message) for _, message in errors)


def _lists(node: Placed, name: str) -> bool:
    """Whether a closed list of this name, shown here, has the value that is set."""
    declared = node.root.property_of(name)
    options = (declared or {}).get("options") or ()
    return any(option.get("value") == node.params.get(name, ...) for option in options)
