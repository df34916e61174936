"""Lists strings in JSON with their paths; dumps JSON for storage and answers, surrogates too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from grounded_builder.diagnostics.diagnostic import Route


def list_texts(value: Any, at: Route) -> Iterator[tuple[Route, str]]:
    """Yields every text inside a value with its route; ``at`` is that of the value."""
    stack: list[tuple[Route, Any]] = [(at, value)]
    while stack:
        route, item = stack.pop()
        if isinstance(item, str):
            yield route, item
        elif isinstance(item, Mapping):
            stack.extend(((*route, key), child) for key, child in item.items())
        elif isinstance(item, list):
            stack.extend(((*route, index), child) for index, child in enumerate(item))


def dump_json(value: Any, *, indent: bool = False) -> str:
    """Returns a value as JSON text.

    Lone surrogates are escaped: orjson rejects them, as databases do, and numbers beyond 64 bits.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None).decode()
    except TypeError:
        return json.dumps(value, indent=2 if indent else None)
