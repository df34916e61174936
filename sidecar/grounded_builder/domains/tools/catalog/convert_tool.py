"""Converts one tool definition into a catalog line, and refuses what could check no arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from grounded_builder.catalog.catalog_file import CatalogError, Problem
from grounded_builder.domains.tools.catalog.compile_tool import find_contradictions
from grounded_builder.domains.tools.read.convert_catalog import make_line
from grounded_builder.domains.tools.read.definitions import read_definitions

_HELP = "correct the definition; docs/tools.md has the shapes of a tool"
# Validating a schema of 514 kB takes 0.8 s, one of 5.2 MB 7.8 s (measured on one core).
_MOST_BYTES = 500_000
_MOST_PROBLEMS = 20


def convert_tool(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the catalog line of one tool in any published shape.

    Raises CatalogError for a definition that is too large, and for one whose arguments could not
    be checked, or never be right.
    """
    try:
        size = len(orjson.dumps(document))
    except TypeError as error:
        problem = Problem("it has a number or a text that JSON in UTF-8 cannot hold")
        raise CatalogError((problem,), _HELP) from error
    if size > _MOST_BYTES:
        problem = Problem(f"the definition has {size:,} bytes, and {_MOST_BYTES:,} are allowed")
        raise CatalogError((problem,), "shorten the definition, or split the tool into several")
    definitions = read_definitions([document])
    line = make_line(definitions[0])
    faults = [Problem(fault) for fault in find_contradictions(line)]
    if faults:
        raise CatalogError(tuple(faults[:_MOST_PROBLEMS]), _HELP)
    return line
