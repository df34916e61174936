"""Makes small Simulink models from short texts, and runs the checks on them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.diagnostics import Diagnostic, sorted_unique
from grounded_builder.domains.simulink.analysis.model_view import build_view
from grounded_builder.domains.simulink.analysis.propagation import Signal, propagate_signals
from grounded_builder.domains.simulink.analysis.signal_sources import Flow
from grounded_builder.domains.simulink.check import CHECKS
from grounded_builder.domains.simulink.read.graph import read
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from tests.support.simulink import simulink_registry

_END = re.compile(r"(?P<block>\w+)(?:\.(?P<kind>[a-z]+))?(?::?(?P<index>\d+))?")

Model = dict[str, Any]
Signals = dict[tuple[str, int], Signal]


def block(name: str, kind: str, inner: Model | None = None, **parameters: Any) -> Model:
    """Returns a block whose sid is its name; ``source`` makes it a library link."""
    made: Model = {"sid": name, "name": name, "type": kind}
    if source := parameters.pop("source", ""):
        made |= {"type": "Reference", "source": source, "linked": True, "opaque": "link"}
    if parameters:
        made["parameters"] = parameters
    if inner is not None:
        made["system"] = inner
    return made


def system(blocks: Sequence[Model], *lines: str) -> Model:
    """Returns a diagram; a line is ``a -> b:2, c`` or, physical, ``a.lconn1 -- b.rconn1``."""
    return {"blocks": list(blocks), "lines": [_line(line) for line in lines]}


def model(blocks: Sequence[Model], *lines: str, kind: str = "model", name: str = "own") -> Model:
    """Returns a model of one diagram."""
    return {"simulink": 1, "kind": kind, "name": name, "system": system(blocks, *lines)}


def _line(text: str) -> Model:
    start, arrow, rest = re.split(r"\s*(->|--)\s*", text)
    ends = [_end(part, "in" if arrow == "->" else "lconn") for part in rest.split(",")]
    line: Model = {"from": _end(start, "out" if arrow == "->" else "rconn")}
    if arrow == "--":
        line["physical"] = True
    if len(ends) == 1:
        return line | {"to": ends[0]}
    return line | {"branches": [{"to": end} for end in ends]}


def _end(text: str, kind: str) -> Model:
    match = _END.fullmatch(text.strip())
    assert match is not None, text
    return {
        "block": match["block"],
        "kind": match["kind"] or kind,
        "index": int(match["index"] or 1),
    }


def resolve_model(document: Mapping[str, Any]) -> ResolvedGraph:
    """Returns a model whose blocks are resolved with the shipped catalog."""
    registry = simulink_registry()
    reading = read(document)
    assert reading.graph is not None, reading.diagnostics
    bound = tuple(
        ResolvedNode(
            node,
            tool := registry.tools.get(node.tool or ""),
            1.0,
            registry.spec(tool.id, tool.newest) if tool is not None else None,
        )
        for node in reading.graph.nodes
    )
    return ResolvedGraph(
        reading.graph, bound, {resolved_node.node.name: resolved_node for resolved_node in bound}
    )


def check_model(document: Mapping[str, Any]) -> tuple[Diagnostic, ...]:
    """Returns the findings of the checks on lines, names, signals and networks."""
    model_ = resolve_model(document)
    registry = simulink_registry()
    return sorted_unique(
        diagnostic for check in CHECKS for diagnostic in check(model_, registry, CompileOptions())
    )


def codes(document: Mapping[str, Any]) -> list[str]:
    """Returns the codes of the findings, in order."""
    return [diagnostic.code for diagnostic in check_model(document)]


def signals_of(document: Mapping[str, Any]) -> Signals:
    """Returns the known signal of each output, by block name and port number."""
    carried = propagate_signals(Flow(build_view(resolve_model(document)))).known
    return {(item.name, index): signal for (item, index), signal in carried.items()}
