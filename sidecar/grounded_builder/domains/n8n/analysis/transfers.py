"""Makes functions that compute a node's output fields from its input, and reads field names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from grounded_builder.domains.n8n.analysis.shapes import Shape, add_fields

Given = Mapping[str, Any]
Transfer = Callable[[Shape | None], Shape | None]


def make_closed_shape(*names: str) -> Shape:
    """Returns the shape of an object with these fields alone."""
    return Shape(dict.fromkeys(names))


def make_open_shape(*names: str) -> Shape:
    """Returns the shape of an object with these fields and perhaps others."""
    return Shape(dict.fromkeys(names), is_open=True)


def pass_on(received: Shape | None) -> Shape | None:
    """Returns the shape of the items that a node receives."""
    return received


def give(shape: Shape | None) -> Transfer | None:
    """Returns the transfer of a node whose output does not depend on its input."""
    return None if shape is None else lambda _: shape


def add(names: Iterable[Any] | None) -> Transfer | None:
    """Returns the transfer of a node that keeps the fields of its input and adds some."""
    known = read_names(names)
    return None if known is None else lambda received: add_fields(received, dict.fromkeys(known))


def read_names(names: Iterable[Any] | None) -> list[str] | None:
    """Returns names of fields; None if any of them is an expression or empty."""
    known = None if names is None else list(names)
    if known is None or not all(isinstance(n, str) and n[:1] not in ("", "=") for n in known):
        return None
    return known


def first_parts(names: Iterable[str]) -> list[str]:
    """Returns the fields that names with dots make; a name that begins with one stays whole."""
    return [re.split(r"[.\[]", name, maxsplit=1)[0] or name for name in names]


def list_at(given: Any, *route: str) -> list[Any] | None:
    """Returns the list at a route of keys, None if there is none."""
    for key in route:
        if not isinstance(given, Mapping):
            return None
        given = given.get(key)
    return given if isinstance(given, list) else None


def options_of(given: Given) -> Given:
    """Returns the options of a node."""
    options = given.get("options")
    return options if isinstance(options, Mapping) else {}


def entry_names(items: Any, key: str = "name") -> list[Any] | None:
    """Returns the name of each entry of a list, None for what has none."""
    if not isinstance(items, list):
        return None
    return [item.get(key) if isinstance(item, Mapping) else None for item in items]


def json_names(text: Any) -> list[Any] | None:
    """Returns the keys of an object written as JSON, in which expressions may be values."""
    if not isinstance(text, str):
        return list(text) if isinstance(text, Mapping) else None
    if text.startswith("="):
        first, *rest = text[1:].split("{{")
        text = first + "".join("0" + chunk.partition("}}")[2] for chunk in rest)
    try:
        written = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return list(written) if isinstance(written, dict) else None
