"""Reads the forwarding table of a library: blocks that were renamed or moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The notation in libraries: ||__slOldName__||old||__slNewName__||new, once for each block.
_OLD = "||__slOldName__||"
_NEW = "||__slNewName__||"


def read_forwarding(model: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
    """Returns new ids by former ids, and whether all of the table was understood."""
    settings = [value for name, value in model["settings"].items() if name.startswith("Forwarding")]
    renamed: dict[str, str] = {}
    whole = True
    for text in filter(None, map(str.strip, settings)):
        pairs = [part.split(_NEW) for part in text.split(_OLD)[1:]]
        whole = whole and bool(pairs) and all(len(pair) == 2 for pair in pairs)
        renamed |= {_id(pair[0]): _id(pair[1]) for pair in pairs if len(pair) == 2}
    return renamed, whole


def _id(text: str) -> str:
    return " ".join(text.partition("||")[0].split())
