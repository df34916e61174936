"""Merges the blocks of libraries into a registry's catalog file, and finds cyclic links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.simulink.libraries.extend_registry import (
    make_line_finder,
    make_link_finder,
)
from grounded_builder.domains.simulink.libraries.files import Library
from grounded_builder.domains.simulink.libraries.link_cycles import (
    make_cycle_finder,
    make_leaving_finder,
    targets_in,
)

_LONGEST_ID = 300


def find_link_cycle(registry: Registry, libraries: Sequence[Library]) -> tuple[str, ...]:
    """Returns a cycle of links that libraries would form with the catalog, by block ids."""
    by_name = {library.name: library for library in libraries}
    circle = make_cycle_finder(make_link_finder(registry, by_name.get))
    return next(filter(None, map(circle, _list_public_blocks(libraries))), ())


def merge_libraries(registry: Registry, libraries: Sequence[Library]) -> bytes:
    """Returns the catalog file of a registry extended by the public blocks of libraries.

    Earlier entries of these libraries are replaced. Other libraries are used as the catalog has
    them.
    """
    by_name = {library.name: library for library in libraries}
    follow = make_line_finder(registry, by_name.get, frozenset(by_name))
    links = make_leaving_finder(targets_in(by_name.get))
    results = [item for item, row in registry.tools.items() if row.package not in by_name]
    own = [
        _with_links(line, links(name))
        for name in _list_public_blocks(libraries)
        if (line := follow(name)) is not None
    ]
    tools = [{"kind": "tool", **registry.tool(name)} for name in results] + own
    credentials = [
        {"kind": "credential", **registry.credential(credential)}
        for credential in registry.credentials
    ]
    end = {"kind": "end", "tools": len(tools), "credentials": len(credentials)}
    lines = (_header(registry, by_name), *tools, *credentials, end)
    return b"".join(orjson.dumps(line) + b"\n" for line in lines)


def _with_links(line: Mapping[str, Any], links: Sequence[str]) -> Mapping[str, Any]:
    """Returns the line of a block with its links to other libraries, to find later cycles."""
    if not links:
        return line
    *others, last = line["variants"]
    return {**line, "variants": [*others, {**last, "traits": {**last["traits"], "links": links}}]}


def _header(registry: Registry, added: Mapping[str, Library]) -> dict[str, Any]:
    header = registry.header
    packages = [package for package in header.packages if package.name not in added]
    return {
        "kind": "header",
        "domain": header.domain,
        "schema": header.schema,
        # A new version of the built-in catalog replaces it.
        "origin": "assumed" if header.origin == "builtin" else header.origin,
        "versions": dict(header.versions),
        "packages": [
            {
                "name": package.name,
                "version": package.version,
                "community": package.community,
                "error": package.error or "",
            }
            for package in packages
        ]
        + [{"name": name} for name in added],
        "generator": header.generator,
    }


def _list_public_blocks(libraries: Iterable[Library]) -> Iterable[str]:
    """Yields the public blocks of a library, including those in subsystems that are folders."""
    for library in libraries:
        folders = {library.name}
        for path, block in library.blocks.items():
            if path.replace("//", "\0").rpartition("/")[0].replace("\0", "//") not in folders:
                continue
            if _is_folder(block):
                folders.add(path)
            elif len(path) <= _LONGEST_ID and path.isprintable():
                yield path


def _is_folder(block: Mapping[str, Any]) -> bool:
    """Returns whether a subsystem only groups blocks: it has no ports and no mask."""
    inside = (block.get("system") or {}).get("blocks", ())
    return (
        block["type"] == "SubSystem"
        and bool(inside)
        and not block.get("mask")
        and not block.get("ports")
        and not any(item["type"] in ("Inport", "Outport", "PMIOPort") for item in inside)
    )
