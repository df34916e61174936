"""Whose a library is, and which of the places of a block is its home."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# Folders and samples of libraries.
NO_BLOCKS = re.compile(
    r"/Demos\d*$|^simulink/(Dashboard|Blocksets & Toolboxes|String|Sources|Sinks)$|Examples$|"
    r"^simulink/Quick Insert(/[^/]+)?$|/Blockset Name|^simulink/[^/]+$|^hdlsllib/Commonly Used|"
    r"^hdlsllib/[^/]+$|^sldvpatternlib"
)
# What runs the subsystem that it lies in, by BlockType: blocks of no library of their own.
PARTS = {
    "ForIterator": "For Iterator",
    "WhileIterator": "While Iterator",
    "ForEach": "For Each",
    "ActionPort": "Action Port",
    "ResetPort": "Reset Port",
}
# Where the same block stands in several places of the library, the first of these is meant.
_PLACES = ("Sources", "Sinks", "Math Operations", "Signal Routing")
# What blocks with masks are made of; the blocks of other BlockTypes once had one, and lost it.
_MASKED = frozenset({None, "S-Function", "M-S-Function", "MATLABSystem"})


def product_of(path: str, products: Mapping[str, Any]) -> str:
    """The product whose library a path lies in; empty for none of MathWorks'."""
    root = path.split("/", 1)[0]
    best = ("", "")
    for prefix, product in products["roots"]:
        if root.startswith(prefix) and len(prefix) > len(best[0]):
            best = (prefix, product)
    return best[1]


def maker_of(path: str, products: Mapping[str, Any]) -> str:
    """Who else hands out the library that a path lies in; empty for a library of nobody known."""
    root = path.split("/", 1)[0]
    makers = products["makers"]
    return next((maker for pattern, maker in makers if re.fullmatch(pattern, root)), "")


def mask_of(path: str, kind: str | None, stated: str | None) -> str | None:
    """The mask type of a block whose uses state one; in a type of its own it has none now."""
    plain = kind == "SubSystem" and path.startswith("simulink/")
    return stated if kind in _MASKED or (kind == "SubSystem" and not plain) else None


def rank(path: str) -> tuple[bool, tuple[int, str]]:
    """The better known place first."""
    return (not path.startswith("simulink/"), place(path))


def place(path: str) -> tuple[int, str]:
    """The order of the categories of the base library."""
    where = path.split("/")[1]
    return (_PLACES.index(where) if where in _PLACES else len(_PLACES), path)


def is_copy(path: str) -> bool:
    """Whether a block of the base library stands for one in another category."""
    return path.startswith(("simulink/Ports & Subsystems/In", "simulink/Ports & Subsystems/Out"))


def plainness(path: str) -> tuple[bool, bool, str]:
    """How plain a block of its type a library path names: the least is the plainest."""
    return is_copy(path), "Enable" in path, path
