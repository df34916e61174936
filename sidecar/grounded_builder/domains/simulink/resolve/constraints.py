"""Which blocks a request's constraints leave."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.resolve.availability import Terms, hindrance, terms_of
from grounded_builder.domains.simulink.resolve.name_index import fold, split_path
from grounded_builder.ir.options import is_denied
from grounded_builder.ir.resolution import NameContext

# A request for the parts themselves: what holds others ready-made is no answer to it.
_INTERNALS = re.compile(
    r"\b(internals?|from scratch|primitive|elementary|basic blocks|step by step|by hand|"
    r"without (a |the )?(ready|composite|masked|library))",
    re.IGNORECASE,
)


_LONGEST = 80


def kept(ids: Iterable[str], registry: Registry, context: NameContext | None) -> list[str]:
    """Those that are not blocked, of the libraries and products asked for.

    A library is named by its root, by a path that begins so, or by its product. What came later
    than the release, or is of a product that is not there or has no licence, is left out; where
    the goal asks for internals, composites are.
    """
    if context is None:
        return list(ids)
    terms = terms_of(context, registry)
    # Without bounds all are left, and names are asked for thousands of times.
    bounded = terms != Terms()
    internals = _INTERNALS.search(f"{context.goal} {context.action}") is not None
    results = []
    for tool in ids:
        if not _is_permitted(tool, context):
            continue
        if bounded and hindrance(tool, registry, terms):
            continue
        if internals and "composite" in registry.tools[tool].capabilities:
            continue
        if not _is_of_libraries(tool, registry, context):
            continue
        results.append(tool)
    return results


def hindered(tool: str, registry: Registry, context: NameContext) -> str:
    """Why release, products or library of a question leave a block out; empty where they do not."""
    reason = hindrance(tool, registry, terms_of(context, registry))
    if not reason and not _is_of_libraries(tool, registry, context):
        asked = ", ".join(
            sorted(allowed_package[:_LONGEST] for allowed_package in context.allowed_packages)
        )
        return f"it is not of {asked}"
    return reason


def _is_permitted(tool: str, context: NameContext) -> bool:
    if context.allowed and not any(fnmatchcase(tool, name) for name in context.allowed):
        return False
    return not is_denied(tool, context.denied)


def _is_of_libraries(tool: str, registry: Registry, context: NameContext) -> bool:
    """Whether a block lies in one of the libraries asked for, by root, path or product."""
    asked = context.allowed_packages
    if not asked or any(tool.startswith(f"{name.strip('/')}/") for name in asked):
        return True
    family = fold(registry.tools[tool].family)
    named = {family, *(fold(part) for part in split_path(tool)[:-1])}
    return not named.isdisjoint(fold(name) for name in asked)
