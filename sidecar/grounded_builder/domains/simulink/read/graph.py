"""Reads a model into a graph of blocks and lines; determines if its tool names are exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.domains.simulink.read.document import block_path, ends, systems, tool_of
from grounded_builder.domains.simulink.read.shape import check_shape
from grounded_builder.ir.domain import Reading
from grounded_builder.ir.graph import Edge, Graph, Node
from grounded_builder.ir.rules.reading import WRONG_DOCUMENT

_HINT = 'a model is {"simulink": 1, "system": {"blocks": [...], "lines": [...]}}'


def read(document: Any) -> Reading:
    """Reads a model, as ``open_model`` returns it or as it was drafted."""
    if not isinstance(document, dict) or not isinstance(document.get("system"), dict):
        shape = name_json_kind(document) if not isinstance(document, dict) else "no system"
        message = f'the document is not a Simulink model: {shape} where "system" is expected'
        return Reading(None, (new_diagnostic(WRONG_DOCUMENT, (), message, help=_HINT),))
    bad = tuple(check_shape(document))
    if bad:
        return Reading(None, bad)
    nodes: list[Node] = []
    edges: list[Edge] = []
    for route, path, system in systems(document):
        names = {}
        for node in _nodes(system, route, path):
            nodes.append(node)
            names[node.source["sid"]] = node.name
        edges += _edges(system, route, names)
    return Reading(Graph(document, tuple(nodes), tuple(edges)), ())


def is_exact(node: Node, graph: Graph) -> bool:
    """Returns whether Simulink wrote the type of a block: true for files, not for drafts."""
    del node
    return graph.document.get("layout") in ("slx", "mdl", "mdl-opc")


def _nodes(system: Mapping[str, Any], route: Route, path: tuple[str, ...]) -> Iterator[Node]:
    for index, block in enumerate(system["blocks"]):
        yield Node(
            name=block_path((*path, block["name"])),
            tool=tool_of(block),
            version=None,
            params=block.get("parameters", {}),
            at=(*route, "blocks", index),
            source=block,
            disabled=block.get("properties", {}).get("Commented", "off") != "off",
        )


def _edges(system: Mapping[str, Any], route: Route, names: Mapping[str, str]) -> Iterator[Edge]:
    """Yields edges between existing blocks; a physical line joins its first end to the others."""
    for index, line in enumerate(system["lines"]):
        start = line.get("from")
        if start is None or start["block"] not in names:
            continue
        for at, end in ends(line, (*route, "lines", index)):
            if end is not None and end["block"] in names:
                yield Edge(
                    names[start["block"]],
                    start["kind"],
                    start["index"] - 1,
                    names[end["block"]],
                    end["kind"],
                    end["index"] - 1,
                    at,
                )
