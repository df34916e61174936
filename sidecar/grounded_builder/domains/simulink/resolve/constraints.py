"""Filters blocks by ids, libraries, products, release and goal; explains excluded ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.resolve.availability import Terms, find_hindrance, terms_of
from grounded_builder.domains.simulink.resolve.name_index import fold, split_path
from grounded_builder.ir.options import is_denied
from grounded_builder.ir.resolution import NameContext

# A request for elementary parts excludes blocks that combine them.
_INTERNALS = re.compile(
    r"\b(internals?|from scratch|primitive|elementary|basic blocks|step by step|by hand|"
    r"without (a |the )?(ready|composite|masked|library))",
    re.IGNORECASE,
)


_LONGEST = 80


def filter_by_constraints(
    ids: Iterable[str], registry: Registry, context: NameContext | None
) -> list[str]:
    """Returns the available blocks within the requested libraries and products.

    A library is named by its root, by the beginning of a path, or by its product. Blocks of a later
    release, or of a product that is missing or has no licence, are left out. Where the goal asks
    for internals, composite blocks are left out as well.
    """
    if context is None:
        return list(ids)
    terms = terms_of(context, registry)
    # Without constraints all are returned; this is called thousands of times.
    bounded = terms != Terms()
    internals = _INTERNALS.search(f"{context.goal} {context.action}") is not None
    results = []
    for tool in ids:
        if not _is_permitted(tool, context):
            continue
        if bounded and find_hindrance(tool, registry, terms):
            continue
        if internals and "composite" in registry.tools[tool].capabilities:
            continue
        if not _is_of_libraries(tool, registry, context):
            continue
        results.append(tool)
    return results


def find_unavailable_reason(tool: str, registry: Registry, context: NameContext) -> str:
    """Returns why release, products or libraries exclude a block; empty where they do not."""
    reason = find_hindrance(tool, registry, terms_of(context, registry))
    if not reason and not _is_of_libraries(tool, registry, context):
        asked = ", ".join(
            sorted(allowed_package[:_LONGEST] for allowed_package in context.allowed_packages)
        )
        return f"it does not belong to {asked}"
    return reason


def _is_permitted(tool: str, context: NameContext) -> bool:
    if context.allowed and not any(fnmatchcase(tool, name) for name in context.allowed):
        return False
    return not is_denied(tool, context.denied)


def _is_of_libraries(tool: str, registry: Registry, context: NameContext) -> bool:
    """Returns whether a block is in one of the requested libraries, by root, path or product."""
    asked = context.allowed_packages
    if not asked or any(tool.startswith(f"{name.strip('/')}/") for name in asked):
        return True
    family = fold(registry.tools[tool].family)
    named = {family, *(fold(part) for part in split_path(tool)[:-1])}
    return not named.isdisjoint(fold(name) for name in asked)
