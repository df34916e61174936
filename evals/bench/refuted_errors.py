"""Classifies errors of n8n-mcp: those that the catalog refutes, those that only ask for values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from evals.faults.scene import Placed, Scene

PeerError = tuple[str | None, str]

_TYPE = re.compile(r'Unknown node type: "([^"]+)"')
_VERSION = re.compile(r"typeVersion \S+ exceeds maximum supported version")
_OPTION = re.compile(r"Invalid value for '([^'.]+)'\. Must be one of")
_EMPTY = re.compile(r"cannot be empty$|is required$|^Workflow Tool .* has no workflowId")


def is_refuted(text: PeerError, scene: Scene) -> bool:
    """Checks whether the type, version or option that an error denies is installed and listed."""
    name, message = text
    unknown = _TYPE.match(message)
    if unknown is not None:
        return unknown[1] in scene.catalog.tools
    node = scene.by_name.get(name or "")
    if node is None:
        return False
    if _VERSION.match(message):
        return True  # a placed node has an installed version
    refused = _OPTION.match(message)
    return refused is not None and _lists_value(node, refused[1])


def only_asks_for_values(errors: Iterable[PeerError]) -> bool:
    """Checks whether all errors only ask for missing values."""
    return all(_EMPTY.search(message) for _, message in errors)


def _lists_value(node: Placed, name: str) -> bool:
    """Checks whether a closed list of this name, visible here, contains the value that is set."""
    declared = node.root.property_of(name)
    options = (declared or {}).get("options") or ()
    return any(option.get("value") == node.params.get(name, ...) for option in options)
