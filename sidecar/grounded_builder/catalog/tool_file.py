"""Reads a single tool, as strictly as a line of a catalog file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from grounded_builder.catalog.catalog_file import Bounds, CatalogError, Problem, read_catalog
from grounded_builder.catalog.catalog_line import SCHEMA
from grounded_builder.catalog.stored_tool import Entry

_HELP = (
    "send one tool in the shape of a catalog line: docs/catalog.md, registry/catalog.schema.json"
)


def read_tool(line: Mapping[str, Any], domain: str, bounds: Bounds) -> Entry:
    """Returns the entry of one tool; raises CatalogError with all problems."""
    header = {
        "kind": "header",
        "domain": domain,
        "schema": SCHEMA,
        "origin": "installed",
        "versions": {},
        "packages": [],
    }
    end = {"kind": "end", "tools": 1, "credentials": 0}
    try:
        lines = [orjson.dumps(part) for part in (header, {"kind": "tool", **line}, end)]
    except TypeError as error:
        problem = Problem("it has a number or a text that JSON in UTF-8 cannot hold")
        raise CatalogError((problem,), _HELP) from error
    try:
        file = read_catalog(b"\n".join(lines) + b"\n", domain, bounds)
    except CatalogError as error:
        problems = tuple(Problem(part.message) for part in error.problems)
        raise CatalogError(problems, _HELP) from error
    return file.entries[0]
