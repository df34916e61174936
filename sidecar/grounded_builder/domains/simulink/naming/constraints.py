"""Which blocks a request's constraints leave."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.domains.simulink.naming.index import fold, split_path
from grounded_builder.registry.registry import Registry
from grounded_builder.resolve.model import NameContext
from grounded_builder.resolve.spelling import allowed

# A request for the parts themselves: what holds others ready-made is no answer to it.
_INTERNALS = re.compile(
    r"\b(internals?|from scratch|primitive|elementary|basic blocks|step by step|by hand|"
    r"without (a |the )?(ready|composite|masked|library))",
    re.IGNORECASE,
)


_RELEASE = re.compile(r"R?(20\d\d)([ab])", re.IGNORECASE)


def kept(ids: Iterable[str], registry: Registry, context: NameContext | None) -> list[str]:
    """Those that are not blocked, of the libraries and products asked for.

    A library is named by its root, by a path that begins so, or by its product. Where the goal
    asks for internals, composites are left out.
    """
    if context is None:
        return list(ids)
    libraries = [fold(one) for one in context.allowed_packages]
    paths = [one.strip("/") + "/" for one in context.allowed_packages]
    rest = replace(context, allowed_packages=frozenset())
    internals = _INTERNALS.search(f"{context.goal} {context.action}") is not None
    found = []
    for tool in ids:
        row = registry.tools[tool]
        if not allowed(tool, registry, rest):
            continue
        if context.release and _is_newer(registry.spec(tool, row.newest).release, context.release):
            continue
        if internals and "composite" in row.capabilities:
            continue
        if libraries and not any(tool.startswith(path) for path in paths):
            named = {fold(row.family), *(fold(part) for part in split_path(tool)[:-1])}
            if not named.intersection(libraries):
                continue
        found.append(tool)
    return found


def _is_newer(since: str | None, release: str) -> bool:
    """Whether a block came after a release; not where it is unknown since when it exists."""
    first, here = _RELEASE.fullmatch(since or ""), _RELEASE.fullmatch(release.strip())
    if first is None or here is None:
        return False
    return (first[1], first[2].casefold()) > (here[1], here[2].casefold())
