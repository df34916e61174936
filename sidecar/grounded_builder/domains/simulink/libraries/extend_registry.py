"""Extends a registry by the libraries that a model links to, and lists those that are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import Package, ToolRow
from grounded_builder.domains.simulink.libraries.catalog_line import OWN, Follow, line_of
from grounded_builder.domains.simulink.libraries.files import Library, LibraryFolder
from grounded_builder.domains.simulink.libraries.link_cycles import (
    Find,
    Targets,
    make_cycle_finder,
    targets_in,
)
from grounded_builder.domains.simulink.read.document import systems, tool_of
from grounded_builder.ir.bundled_libraries import ExtendRegistry

# Shared blocks that the catalog knows from the models of others.
COMMUNITY = "community"
# The depth of links from library to library.
_DEEPEST = 8
_KEPT = 16


def find_libraries_near(files: Iterable[Path]) -> ExtendRegistry:
    """Returns a function that extends a registry by those given files to which a model links.

    A file is read when a model first names it. The catalog takes precedence for products, and a
    library adds the blocks that it lacks.
    """
    return make_extender(LibraryFolder(files).library)


def make_extender(find: Find) -> ExtendRegistry:
    """Returns a function that extends a registry by libraries that ``find`` returns by name."""

    @lru_cache(_KEPT)
    def add_named_libraries(registry: Registry, names: frozenset[str]) -> Registry:
        libraries = [library for name in sorted(names) if (library := find(name)) is not None]
        return add_libraries(registry, libraries, find)

    def widen(document: Any, registry: Registry) -> Registry:
        names = frozenset(name for name in _roots(document, registry) if find(name) is not None)
        return add_named_libraries(registry, names) if names else registry

    return widen


def list_missing_libraries(document: Any, registry: Registry, find: Find) -> tuple[str, ...]:
    """Returns the libraries to which links lead, also indirectly, that files and catalog lack.

    The catalog is sufficient for products, and not for shared blocks.
    """
    targets = make_link_finder(registry, find)
    waiting = list(_links(document))
    seen: set[str] = set()
    missing: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen or _is_fixed(path, registry):
            continue
        seen.add(path)
        root = path.partition("/")[0]
        if find(root) is not None:
            waiting += targets(path)
        else:
            missing.add(root)
    if not missing:
        return ()
    known = {row.package for row in registry.tools.values() if _is_fixed(row.id, registry)}
    return tuple(sorted(missing - known))


def _roots(document: Any, registry: Registry) -> set[str]:
    """Returns the libraries to which a model links and which the catalog lacks."""
    return {link.partition("/")[0] for link in _links(document) if not _is_fixed(link, registry)}


def _links(document: Any) -> set[str]:
    """Returns the library blocks that a model names."""
    if not isinstance(document, dict) or not isinstance(document.get("system"), dict):
        return set()
    ids = (
        tool_of(block) or ""
        for _, _, system in systems(document)
        for block in system["blocks"]
        if block.get("source")
    )
    return {id_ for id_ in ids if "/" in id_}


def _is_fixed(path: str, registry: Registry) -> bool:
    """Returns whether the catalog takes precedence: for products, not for shared blocks."""
    tool = registry.tools.get(path)
    return tool is not None and COMMUNITY not in tool.capabilities


def add_libraries(registry: Registry, libraries: Iterable[Library], find: Find) -> Registry:
    """Returns the catalog with the blocks of these libraries, whose links are followed."""
    rows: dict[str, ToolRow] = {}
    packages: list[Package] = []
    known = {row.package for row in registry.tools.values() if _is_fixed(row.id, registry)}
    for library in libraries:
        ids = [*library.blocks, *library.renamed]
        rows |= {id_: _row(id_) for id_ in ids if not _is_fixed(id_, registry)}
        # A library with a name that the catalog has may be a different one.
        if library.whole and library.name not in known:
            packages.append(Package(library.name, complete=True))
    follow, circle = (
        make_line_finder(registry, find),
        make_cycle_finder(make_link_finder(registry, find)),
    )
    return registry.with_tools(
        rows, packages, lambda item: _with_circle(follow(item) or {}, circle(item))
    )


def make_link_finder(registry: Registry, find: Find) -> Targets:
    """Returns a function for the links of a block: of libraries found, else of the user's own ones.

    The catalog stores the links of the latter that lead to other libraries.
    """
    inside = targets_in(find)

    def targets(path: str) -> Iterable[str]:
        row = registry.tools.get(path)
        if row is None or row.family != OWN or find(path.partition("/")[0]) is not None:
            return inside(path)
        links: Iterable[str] = registry.tool(path)["variants"][-1]["traits"].get("links", ())
        return links

    return targets


def make_line_finder(
    registry: Registry, find: Find, replaced: frozenset[str] = frozenset()
) -> Follow:
    """Returns a function for the line of a block by its id; None where no source has it.

    Lines of ``replaced`` libraries are not taken from the catalog.
    """

    def follow(path: str, left: int = _DEEPEST) -> Mapping[str, Any] | None:
        if path.partition("/")[0] not in replaced and _is_fixed(path, registry):
            return registry.tool(path)
        library = find(path.partition("/")[0]) if left else None
        if library is None:
            return registry.tool(path) if path in registry.tools else None
        block = library.blocks.get(path)
        if block is None:
            new = library.renamed.get(path)
            entries = follow(new, left - 1) if new is not None else None
            return {**entries, "id": path} if entries is not None else _bare(path)
        return line_of(path, block, library.defaults, lambda item: follow(item, left - 1))

    return follow


def _with_circle(line: Mapping[str, Any], circle: tuple[str, ...]) -> Mapping[str, Any]:
    """Returns the line of a block with the cycle of links to which it leads."""
    if not circle or not line:
        return line
    *others, last = line["variants"]
    traits = {**last.get("traits", {}), "circular": circle}
    return {**line, "variants": [*others, {**last, "traits": traits}]}


def _bare(path: str) -> Mapping[str, Any]:
    """Returns the line of a block of which only the path is known."""
    variant: dict[str, Any] = {"versions": [1], "inputs": [], "outputs": [], "parameters": []}
    return {"kind": "tool", "id": path, "name": path.rpartition("/")[2], "variants": [variant]}


def _row(path: str) -> ToolRow:
    root, _, rest = path.partition("/")
    name = rest.replace("//", "\0").rpartition("/")[2].replace("\0", "/")
    return ToolRow(path, name, "", (1.0,), package=root, family=OWN)
