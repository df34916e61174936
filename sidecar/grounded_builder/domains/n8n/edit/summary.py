"""Summarizes a workflow as lines for a drafter: nodes with settings, and edges."""

from __future__ import annotations

import json
from typing import Any

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.step_settings import STEP_SETTINGS
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.graph import Edge, ResolvedNode

# The longest values that are shown, tried in order until the summary is short enough.
_LENGTHS = (4_000, 1_000, 300, 80)
_SHORT_ENOUGH = 12_000
_VALUES = 12
_NODES = 150


def summarize(document: Any, ground: EditContext) -> str:
    """Returns one line for each node and edge, without credentials.

    A drafter that changes the code of a node has to see all of it, so values are shortened only
    as far as the size of the workflow requires.
    """
    canvas = Canvas(document, ground)
    for length in _LENGTHS:
        text = _write_lines(canvas, length)
        if len(text) <= _SHORT_ENOUGH:
            break
    return text


def _write_lines(canvas: Canvas, length: int) -> str:
    nodes = [bound for bound in canvas.resolve.nodes if bound.node.tool != NOTE]
    lines = [f"name: {_quote(canvas.workflow.get('name') or '')}", "nodes:"]
    lines += [_node(bound, length) for bound in nodes[:_NODES]]
    if len(nodes) > _NODES:
        lines.append(f"... and {len(nodes) - _NODES} more")
    lines.append("edges:")
    lines += list(dict.fromkeys(_edge(edge, canvas) for edge in canvas.graph.edges))
    return "\n".join(lines)


def _node(bound: ResolvedNode, length: int) -> str:
    node = bound.node
    off = " (disabled)" if node.disabled else ""
    values = [f"{key}={_quote(value, length)}" for key, value in node.params.items() if value != ""]
    stated = {key: node.source[key] for key in STEP_SETTINGS if key in node.source}
    stated.pop("disabled", None)
    shown = ", ".join(values[:_VALUES]) + (f" settings={_quote(stated, length)}" if stated else "")
    return f"- {_quote(node.name)} {node.tool}{off} {shown}".rstrip()


def _edge(edge: Edge, canvas: Canvas) -> str:
    if edge.source_kind != MAIN:
        return f"- {_quote(edge.source)} serves {_quote(edge.target)} as {edge.source_kind}"
    ports = (canvas.ports(edge.source).outputs or {}).get(MAIN, ())
    named = ports[edge.source_index].name if edge.source_index < len(ports) else ""
    output = f" by output {_quote(named or edge.source_index)}" if len(ports) > 1 else ""
    return f"- {_quote(edge.source)}{output} leads to {_quote(edge.target)}"


def _quote(value: Any, length: int = _LENGTHS[-1]) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= length else text[: length - 1] + "…"
