"""Reads a list of calls, the native document of this domain, into a graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.domain import Reading
from grounded_builder.ir.graph import Edge, Graph, Node
from grounded_builder.ir.rules.reading import DUPLICATE_STEP, MALFORMED_STEP, WRONG_DOCUMENT

HINT = '{"calls": [{"id": "call_1", "tool": "name", "arguments": {}, "depends_on": []}]}'


def read(document: Any) -> Reading:
    """Returns the graph of a list of calls; entries that are not calls are reported and skipped."""
    calls = document.get("calls") if isinstance(document, dict) else None
    if not isinstance(calls, list):
        shape = name_json_kind(document) if not isinstance(document, dict) else "no list of calls"
        message = f'the document holds no calls: {shape} where "calls" is expected'
        return Reading(
            None, (new_diagnostic(WRONG_DOCUMENT, (), message, help=f"write {HINT}, or a plan"),)
        )
    diagnostics: list[Diagnostic] = []
    nodes = tuple(_read_nodes(calls, diagnostics))
    return Reading(Graph(document, nodes, tuple(_read_edges(nodes))), tuple(diagnostics))


def _read_nodes(calls: list[Any], diagnostics: list[Diagnostic]) -> Iterator[Node]:
    taken: set[str] = set()
    for index, call in enumerate(calls):
        at = ("calls", index)
        if not isinstance(call, dict):
            message = f"call {index} is {name_json_kind(call)}, not an object"
            diagnostics.append(new_diagnostic(MALFORMED_STEP, at, message, help=f"write {HINT}"))
            continue
        id_ = call.get("id")
        name = id_ if isinstance(id_, str) and id_ else f"call_{index + 1}"
        if name in taken:
            message = f'two calls have the id "{name}"'
            hint = "give each call an id of its own"
            diagnostics.append(
                new_diagnostic(DUPLICATE_STEP, (*at, "id"), message, help=hint, node=name)
            )
        taken.add(name)
        arguments = call.get("arguments", {})
        if not isinstance(arguments, dict):
            message = f'the arguments of "{name}" are {name_json_kind(arguments)}, not an object'
            arguments_at = (*at, "arguments")
            diagnostics.append(
                new_diagnostic(
                    MALFORMED_STEP, arguments_at, message, help="write an object", node=name
                )
            )
            arguments = {}
        tool = call.get("tool")
        yield Node(
            name=name,
            tool=tool if isinstance(tool, str) and tool else None,
            version=None,
            params=arguments,
            at=at,
            source=call,
        )


def _read_edges(nodes: tuple[Node, ...]) -> Iterator[Edge]:
    for node in nodes:
        wanted = node.source.get("depends_on")
        for index, name in enumerate(wanted if isinstance(wanted, list) else ()):
            if isinstance(name, str):
                at = (*node.at, "depends_on", index)
                yield Edge(name, "result", 0, node.name, "after", 0, at)
