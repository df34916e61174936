"""The physical ports that a Simscape block of a file lists itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

_LIST = "InternalSimscapePortConfiguration"
_LONGEST = 20_000
# Sides of a block in the order in which its connections are counted.
_SIDES = {"lconn": ("Left", "Top"), "rconn": ("Right", "Bottom")}
_SIGNALS = frozenset({"input", "output"})


def listed_domains(block: Mapping[str, Any], kind: str) -> tuple[str | None, ...] | None:
    """The domains of the ports of a kind in their order, None where the file does not list them.

    Releases and parameters give one block other ports in the same number: what a file lists goes
    before the catalog. A physical signal is ``signal``, whichever way it goes.
    """
    text = block.get("parameters", {}).get(_LIST)
    return _read(text).get(kind) if isinstance(text, str) and len(text) < _LONGEST else None


@lru_cache(1_024)
def _read(text: str) -> Mapping[str, tuple[str | None, ...]]:
    try:
        value = orjson.loads(text)
        return {
            kind: tuple(_domain(port["type"]) for side in sides for port in value[side])
            for kind, sides in _SIDES.items()
        }
    except (orjson.JSONDecodeError, AttributeError, KeyError, TypeError):
        return {}


def _domain(kind: str) -> str | None:
    """The domain of a port's type, without its package and size; None of a port without one."""
    return "signal" if kind in _SIGNALS else kind.rpartition(".")[2].partition("[")[0] or None
