"""Whether a text is the JSON that a node will read it as."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

# Reads what is not quite JSON all the same, as long as an object can be made out of it
# (n8n-nodes-base/nodes/Set, parseJsonParameter with repairJSON).
MENDING = frozenset({"n8n-nodes-base.set", "n8n-nodes-base.setTool"})

_LONGEST_KEPT = 20_000


def why_not_json(text: str) -> str | None:
    """Returns what ``JSON.parse`` stumbles over and where; None when it reads the text."""
    return _why_kept(text) if len(text) <= _LONGEST_KEPT else _why(text)


def _why(text: str) -> str | None:
    try:
        json.loads(text, parse_int=_number, parse_constant=_refused)
    except json.JSONDecodeError as error:
        return (
            f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
        )
    except ValueError as error:
        return str(error)
    except RecursionError:
        return None
    return None


_why_kept = lru_cache(1_024)(_why)


def _number(text: str) -> Any:
    """JavaScript reads any number of digits; Python refuses thousands of them."""
    return text


def _refused(constant: str) -> Any:
    raise ValueError(f"JSON has no {constant}")
