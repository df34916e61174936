"""Computes the fields of the items that each node receives and outputs, through a workflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.analysis.node_outputs import (
    LOOP,
    STARTS_WITH_ONE_ITEM,
    output_of,
)
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.analysis.shapes import Shape, unite
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.analysis.transfers import Transfer, pass_on
from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode

_MAX_PASSES = 6
_MAX_SEARCHED = 100


@dataclass(frozen=True, slots=True)
class DataFlow:
    """The shapes of the items that nodes output and receive; what is unknown is absent."""

    outputs: Mapping[str, Shape]
    inputs: Mapping[str, Shape]
    before: Mapping[str, Sequence[str]]

    def find_givers(self, node: str) -> Mapping[str, str | None]:
        """Returns the nearest node upstream that outputs each field.

        It is None where several nodes of one distance output the field. Nodes that are far away
        are not searched, nor those where very many lead to one.
        """
        givers: dict[str, str | None] = {}
        seen, level = {node}, [node]
        while level and len(seen) < _MAX_SEARCHED:
            of_names = [self.before.get(name, ()) for name in level]
            if sum(map(len, of_names)) > _MAX_SEARCHED:
                break
            sources = (source for of_name in of_names for source in of_name)
            level = [source for source in dict.fromkeys(sources) if source not in seen]
            seen.update(level)
            of_level: dict[str, str | None] = {}
            for name in level:
                shape = self.outputs.get(name)
                for field in shape.fields if shape is not None else ():
                    of_level[field] = None if field in of_level else name
            givers = of_level | givers
        return givers


def follow_data(resolved: ResolvedGraph, order: ExecutionOrder) -> DataFlow:
    """Returns the known shapes of a workflow's items."""
    document = resolved.graph.document
    settings = document.get("settings")
    if isinstance(settings, Mapping) and settings.get("binaryMode") == "combined":
        return DataFlow({}, {}, {})
    stated = document.get("pinData")
    pinned = stated if isinstance(stated, Mapping) else {}
    edges: dict[str, list[Edge]] = {}
    for edge in resolved.graph.edges:
        if edge.source_kind == MAIN:
            edges.setdefault(edge.target, []).append(edge)
    transfers = {
        name: None if name in pinned else _transfer_of(bound)
        for name, bound in resolved.by_name.items()
    }
    outputs = _spread(resolved, order, edges, transfers)
    inputs = {}
    for name in resolved.by_name:
        shape = (
            unite(_join_inputs(name, edges, outputs, resolved, order)) if name in edges else None
        )
        if shape is not None:
            inputs[name] = shape
    before = {name: [edge.source for edge in of_node] for name, of_node in edges.items()}
    known = {name: shape for name, shape in outputs.items() if shape is not None}
    return DataFlow(known, inputs, before)


def starts_with_one_item(bound: ResolvedNode) -> bool:
    """Returns whether a node starts runs with a single item."""
    return bound.node.tool in STARTS_WITH_ONE_ITEM


def _starts(bound: ResolvedNode) -> bool:
    return bound.spec is not None and is_start(bound)


def _transfer_of(bound: ResolvedNode) -> Transfer | None:
    if bound.node.disabled:
        return pass_on
    source = bound.node.source
    if bound.spec is None or source.get("continueOnFail"):
        return None
    if source.get("onError") == "continueRegularOutput":
        return None
    return output_of(bound)


def _spread(
    resolved: ResolvedGraph,
    order: ExecutionOrder,
    edges: Mapping[str, Sequence[Edge]],
    transfers: Mapping[str, Transfer | None],
) -> dict[str, Shape | None]:
    """Returns the output shape of each node; None is unknown.

    A node that has no shape yet stands on a cycle and adds nothing in this pass.
    """
    outputs: dict[str, Shape | None] = {
        name: None for name, transfer in transfers.items() if transfer is None
    }
    names = [name for name in order.names_in_order() if transfers.get(name) is not None]
    for _ in range(_MAX_PASSES):
        changed = False
        for name in names:
            transfer = transfers[name]
            if transfer is None:
                continue
            received: Shape | None = None
            if name in edges and not _starts(resolved.by_name[name]):
                shapes = _join_inputs(name, edges, outputs, resolved, order)
                if not shapes:
                    continue
                received = unite(shapes)
            shape = transfer(received)
            if name not in outputs or outputs[name] != shape:
                outputs[name] = shape
                changed = True
        if not changed:
            return outputs
    return {}


def _join_inputs(
    name: str,
    edges: Mapping[str, Sequence[Edge]],
    outputs: Mapping[str, Shape | None],
    resolved: ResolvedGraph,
    order: ExecutionOrder,
) -> list[Shape | None]:
    """Returns the shapes that reach a node, without those of nodes that have none yet."""
    shapes: list[Shape | None] = []
    for edge in edges[name]:
        source = resolved.by_name.get(edge.source)
        if source is None or _is_error_output(source, edge.source_index):
            shapes.append(None)
        elif source.node.tool == LOOP and _is_loop_output(source, edge.source_index):
            shapes += _join_entering_shapes(edge.source, edges, outputs, order)
        elif edge.source in outputs or edge.source not in resolved.by_name:
            shapes.append(outputs.get(edge.source))
    return shapes


def _is_error_output(source: ResolvedNode, index: int) -> bool:
    if source.node.source.get("onError") != "continueErrorOutput":
        return False
    declared = source.spec.variant.get("outputs") if source.spec is not None else None
    return not isinstance(declared, list) or index >= len(declared)


def _is_loop_output(source: ResolvedNode, index: int) -> bool:
    options = source.node.params.get("options")
    if isinstance(options, Mapping) and options.get("reset"):
        return False
    return index == (1 if (source.version or 0) >= 3 else 0)


def _join_entering_shapes(
    loop: str,
    edges: Mapping[str, Sequence[Edge]],
    outputs: Mapping[str, Shape | None],
    order: ExecutionOrder,
) -> list[Shape | None]:
    """Returns the shapes of the items that a loop takes in batches, not of those that return."""
    entries = [edge for edge in edges.get(loop, ()) if not order.is_upstream(loop, edge.source)]
    return [outputs[edge.source] for edge in entries if edge.source in outputs]
