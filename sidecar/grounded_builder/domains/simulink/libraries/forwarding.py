"""What a library says of blocks that it has renamed or moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# As libraries keep it: ||__slOldName__||old||__slNewName__||new, once for each block.
_OLD = "||__slOldName__||"
_NEW = "||__slNewName__||"


def forwarded(model: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
    """The new id by the old one, and whether all that the library says of it was understood."""
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
