"""Lists the texts inside a JSON value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
