"""Determines the product of a library, and the preferred path of a block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Folders and examples of libraries.
NO_BLOCKS = re.compile(
    r"/Demos\d*$|^simulink/(Dashboard|Blocksets & Toolboxes|String|Sources|Sinks)$|Examples$|"
    r"^simulink/Quick Insert(/[^/]+)?$|/Blockset Name|^simulink/[^/]+$|^hdlsllib/Commonly Used|"
    r"^hdlsllib/[^/]+$|^sldvpatternlib"
)
# BlockTypes without a library of their own that control the enclosing subsystem.
PARTS = {
    "ForIterator": "For Iterator",
    "WhileIterator": "While Iterator",
    "ForEach": "For Each",
    "ActionPort": "Action Port",
    "ResetPort": "Reset Port",
}
# If the library has a block in several places, the first of these is preferred.
_PLACES = ("Sources", "Sinks", "Math Operations", "Signal Routing")
# BlockTypes of masked blocks; blocks of other BlockTypes no longer have their former masks.
_MASKED = frozenset({None, "S-Function", "M-S-Function", "MATLABSystem"})


def product_of(path: str, products: Mapping[str, Any]) -> str:
    """Return the MathWorks product of the library of a path; empty for other libraries."""
    root = path.split("/", 1)[0]
    best = ("", "")
    for prefix, product in products["roots"]:
        if root.startswith(prefix) and len(prefix) > len(best[0]):
            best = (prefix, product)
    return best[1]


def maker_of(path: str, products: Mapping[str, Any]) -> str:
    """Return the other known publisher of the library of a path; empty if unknown."""
    root = path.split("/", 1)[0]
    makers = products["makers"]
    return next((maker for pattern, maker in makers if re.fullmatch(pattern, root)), "")


def mask_of(path: str, kind: str | None, stated: str | None) -> str | None:
    """Return the mask type that the uses of a block state, unless it has its own BlockType."""
    plain = kind == "SubSystem" and path.startswith("simulink/")
    return stated if kind in _MASKED or (kind == "SubSystem" and not plain) else None


def rank(path: str) -> tuple[bool, tuple[int, str]]:
    """Return a sort key by which paths of the base library come first."""
    return (not path.startswith("simulink/"), place(path))


def place(path: str) -> tuple[int, str]:
    """Return a sort key of a path by its category in the base library."""
    where = path.split("/")[1]
    return (_PLACES.index(where) if where in _PLACES else len(_PLACES), path)


def is_copy(path: str) -> bool:
    """Return whether a block of the base library is a copy of one in another category."""
    return path.startswith(("simulink/Ports & Subsystems/In", "simulink/Ports & Subsystems/Out"))


def plainness(path: str) -> tuple[bool, bool, str]:
    """Return a sort key by which the least specialised path of a BlockType comes first."""
    return is_copy(path), "Enable" in path, path
