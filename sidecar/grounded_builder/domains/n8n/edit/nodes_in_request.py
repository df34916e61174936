"""Finds the workflow nodes that words of an edit request mean: by name, tool or similar words."""

from __future__ import annotations

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Route, new_diagnostic
from grounded_builder.domains.n8n.analysis.referenced_nodes import NodeLookup
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.lower.parameter_words import words
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.resolution import NameContext
from grounded_builder.ir.rules.order import MISSING_DEPENDENCY
from grounded_builder.resolve import resolve_name

_LISTED = 12


def find_node(text: str, at: Route, canvas: Canvas) -> str | None:
    """Returns the one node of a name; without one the reason is reported."""
    if text in canvas.steps:
        return canvas.steps[text]
    current = canvas.renamed.get(text, text)
    nodes = find_nodes(canvas.resolve, current, canvas.ground)
    if len(nodes) == 1:
        return nodes[0]
    names = [node.name for node in canvas.graph.nodes]
    offered = nodes or NodeLookup(canvas.resolve).names.near(text)
    problem = f"could be {_join_names(nodes)}" if nodes else "is no node of the workflow"
    more = ", ..." if len(names) > _LISTED else ""
    canvas.diagnostics.append(
        new_diagnostic(
            MISSING_DEPENDENCY,
            at,
            f'"{text}" {problem}',
            help=f"name one of its nodes: {', '.join(offered or names[:_LISTED])}"
            + ("" if offered else more),
            token=text,
            alternatives=offered,
        )
    )
    return None


def find_nodes(resolved: ResolvedGraph, text: str, ground: EditContext) -> tuple[str, ...]:
    """Returns the nodes that words mean: exact, loosely spelt, by tool, by words, or similar.

    The first kind that matches any node decides; all of its nodes are returned.
    """
    if text in resolved.by_name:
        return (text,)
    loosely = NodeLookup(resolved)
    value = loosely.of(text)
    if value is not None:
        return (value,)
    names = [bound.node.name for bound in resolved.nodes]
    alike = [name for name in names if fold_name(name) == fold_name(text)]
    by_tool = alike or _by_tool(resolved, text, ground)
    if by_tool:
        return tuple(dict.fromkeys(by_tool))
    wanted = set(words(text))
    within = [name for name in names if wanted and wanted <= set(words(name))]
    if within:
        return tuple(dict.fromkeys(within))
    near = loosely.names.near(text)
    return near[:1] if len(near) == 1 else ()


def _by_tool(resolved: ResolvedGraph, text: str, ground: EditContext) -> list[str]:
    """Returns the nodes whose tool has these words as a name."""
    rows = {bound.node.name: bound.tool for bound in resolved.nodes if bound.tool is not None}
    wanted = fold_name(text)
    spelt = [
        name
        for name, row in rows.items()
        if wanted in (fold_name(row.id), fold_name(row.id.rsplit(".", 1)[-1]), fold_name(row.name))
        or wanted in [fold_name(alias) for alias in row.aliases]
    ]
    if spelt or not wanted:
        return spelt
    resolution = resolve_name(text, ground.registry, NameContext())
    tools = {resolution.tool} if resolution.tool else set()
    hits = [name for name, row in rows.items() if row.id in tools]
    if hits:
        return hits
    parts = set(words(text))
    return [name for name, row in rows.items() if parts and parts <= set(words(row.name))]


def _join_names(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names[:_LISTED])
