"""Reads the domains of a Simscape block's physical ports from the block in a model file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import orjson

_LIST = "InternalSimscapePortConfiguration"
_LONGEST = 20_000
# The sides of a block in the order in which its connections are counted.
_SIDES = {"lconn": ("Left", "Top"), "rconn": ("Right", "Bottom")}
_SIGNALS = frozenset({"input", "output"})


def list_port_domains(block: Mapping[str, Any], kind: str) -> tuple[str | None, ...] | None:
    """Returns the domains of the ports of a kind in order; None where the file does not list them.

    The list takes precedence over the catalog, because releases and parameters change the ports of
    a block. A physical signal is ``signal`` in either direction.
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
    """Returns the domain of a port type without package and size; None for an empty type."""
    return "signal" if kind in _SIGNALS else kind.rpartition(".")[2].partition("[")[0] or None
