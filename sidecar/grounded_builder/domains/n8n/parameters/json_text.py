"""Finds the fault, with its position, for which a node cannot parse a text as JSON."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

# Tools that repair faulty JSON if they can build an object from it
# (n8n-nodes-base/nodes/Set, parseJsonParameter with repairJSON).
LENIENT_TOOLS = frozenset({"n8n-nodes-base.set", "n8n-nodes-base.setTool"})

_MAX_CACHED_LENGTH = 20_000


def find_json_fault(text: str) -> str | None:
    """Returns the fault of ``JSON.parse`` with its position, None if the text parses."""
    return _find_fault_cached(text) if len(text) <= _MAX_CACHED_LENGTH else _find_fault(text)


def _find_fault(text: str) -> str | None:
    try:
        json.loads(text, parse_int=_accept_number, parse_constant=_reject_constant)
    except json.JSONDecodeError as error:
        return (
            f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
        )
    except ValueError as error:
        return str(error)
    except RecursionError:
        return None
    return None


_find_fault_cached = lru_cache(1_024)(_find_fault)


def _accept_number(text: str) -> Any:
    """Accepts a number of any length as JavaScript does; Python refuses thousands of digits."""
    return text


def _reject_constant(constant: str) -> Any:
    raise ValueError(f"JSON has no {constant}")
