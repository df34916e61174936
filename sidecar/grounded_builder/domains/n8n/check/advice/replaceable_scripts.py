"""Advises a core node in place of a script that does the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.javascript.script_shape import Shape, classify_script
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

REPLACEABLE_SCRIPT = Rule.advice(
    "N8N335", "replaceable-script", "SuboptimalTool", "A core node does the same as this script."
)

_BASE = "n8n-nodes-base."
# The parameter with the script of each node.
_SCRIPT_PARAMETERS = {
    _BASE + "code": "jsCode",
    _BASE + "function": "functionCode",
}
# The purpose of the core nodes according to n8n's documentation of each.
_REPLACEMENTS: Mapping[Shape, tuple[str, tuple[str, ...]]] = {
    "nothing": ("passes on its items unchanged", ("noOp",)),
    "wait": ("only waits", ("wait",)),
    "filter": ("only keeps some of its items", ("filter",)),
    "sort": ("only sorts its items", ("sort",)),
    "limit": ("only takes the first or last of its items", ("limit",)),
    "dedup": ("only drops repeated items", ("removeDuplicates",)),
    "split": ("only splits a list into items", ("splitOut",)),
    "aggregate": ("only collects its items in a list", ("aggregate",)),
    "sum": ("only adds up a field", ("summarize",)),
    "set": ("only sets fields", ("set",)),
    "date": ("only sets fields and formats dates", ("set", "dateTime")),
    "merge": ("only combines the items of other nodes", ("merge",)),
}


def advise(resolved: ResolvedGraph, registry: Registry) -> Iterator[Diagnostic]:
    """Reports scripts that only filter, sort, split, merge, format and the like."""
    for bound in resolved.nodes:
        parameter = _SCRIPT_PARAMETERS.get(bound.node.tool or "")
        if parameter is None or bound.spec is None or bound.node.disabled:
            continue
        if bound.node.params.get("language") not in (None, "javaScript"):
            continue
        code = bound.node.params.get(parameter)
        shape = classify_script(code) if isinstance(code, str) else None
        if shape is not None:
            yield from _report_script(bound, shape, parameter, registry)


def _report_script(
    bound: ResolvedNode, shape: Shape, parameter: str, registry: Registry
) -> Iterator[Diagnostic]:
    does, names = _REPLACEMENTS[shape]
    rows = [row for name in names if (row := registry.tools.get(_BASE + name)) and not row.hidden]
    if not rows:
        return
    label = " or ".join(row.name for row in rows)
    once = " (with Execute Once if it receives several items)" if shape in ("set", "date") else ""
    yield new_diagnostic(
        REPLACEABLE_SCRIPT,
        (*bound.node.at, "parameters", parameter),
        f'the script of "{bound.node.name}" {does}, which {label} does',
        help=f"use {rows[0].id}{once}, which needs no script",
        node=bound.node.name,
        alternatives=tuple(row.id for row in rows),
    )
