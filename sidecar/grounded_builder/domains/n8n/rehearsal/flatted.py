"""Reads the format in which n8n stores executions: a JSON list whose values refer to each other.

The format is that of the npm package flatted 3: the first value is the root, and a text inside an
object or a list is the index of its value.
"""

from __future__ import annotations

import json
from typing import Any


def parse_flatted(text: str) -> Any:
    """Returns the root value; objects that refer to each other in circles do so in the result."""
    values: list[Any] = json.loads(text)
    built: list[Any] = [_make_shell(value) for value in values]
    for value, shell in zip(values, built, strict=True):
        if isinstance(value, dict):
            shell.update({key: _refer(item, built) for key, item in value.items()})
        elif isinstance(value, list):
            shell.extend(_refer(item, built) for item in value)
    return built[0]


def _make_shell(value: Any) -> Any:
    """Returns an empty container in place of a container, so that others can refer to it."""
    if isinstance(value, dict):
        return {}
    return [] if isinstance(value, list) else value


def _refer(item: Any, built: list[Any]) -> Any:
    return built[int(item)] if isinstance(item, str) else item
