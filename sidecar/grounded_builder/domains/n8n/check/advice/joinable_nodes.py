"""Advises to join consecutive Edit Fields, Filter, Merge or If nodes into a single node."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.main_edges import MainEdges
from grounded_builder.domains.n8n.expressions.texts import collect_texts
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.ir.graph import ResolvedNode

JOINABLE_NODES = Rule.info("N8N337", "joinable-nodes", "One node can replace several.")

_BASE = "n8n-nodes-base."
SET, FILTER, MERGE, IF, SWITCH = (
    _BASE + name for name in ("set", "filter", "merge", "if", "switch")
)
# Two conditions on the same value are still clear as two nodes.
_MIN_IFS = 3
_FIELD = re.compile(r"\$json\b(?:\.|\??\.?\[\s*['\"])?([\w$]*)")
_NAME = re.compile(r"\$(?:(?:items|node)?\s*[(\[]\s*(['\"`])([^\n]{1,200}?)\1|node\.([\w$]+))")
_UNJOINABLE_SETTINGS = (
    "onError",
    "continueOnFail",
    "retryOnFail",
    "executeOnce",
    "alwaysOutputData",
)


def advise(flow: MainEdges, registry: Registry) -> Iterator[Diagnostic]:
    """Reports consecutive Edit Fields, Filter or Merge nodes, and chains of Ifs on one value."""
    referenced: set[str] | None = None
    joined: set[str] = set()
    for bound in flow.resolved.nodes:
        kind = bound.node.tool
        if kind not in (SET, FILTER, MERGE) or flow.find_enabled_node(bound.node.name) is None:
            continue
        following = _joinable_successor(flow, bound)
        if (
            following is None
            or following.node.name in joined
            or not _JOINABLE[kind](bound, following)
        ):
            continue
        if referenced is None:
            referenced = _referenced_names(flow)
        if bound.node.name not in referenced:
            joined.add(following.node.name)
            yield _report_pair(bound, following)
    if SWITCH in registry.tools:
        yield from _find_if_chains(flow)


def _joinable_successor(flow: MainEdges, bound: ResolvedNode) -> ResolvedNode | None:
    """Returns the next node of the same type if it is the only successor, otherwise None."""
    edges = flow.after.get(bound.node.name, ())
    if len(edges) != 1 or any(key in bound.node.source for key in _UNJOINABLE_SETTINGS):
        return None
    following = flow.find_enabled_node(edges[0].target)
    if following is None or following.node.tool != bound.node.tool or following is bound:
        return None
    if any(key in following.node.source for key in _UNJOINABLE_SETTINGS):
        return None
    if bound.version != following.version:
        return None
    into = flow.before[following.node.name]
    return following if len(into) == 1 or bound.node.tool == MERGE else None


def _can_join_sets(first: ResolvedNode, second: ResolvedNode) -> bool:
    """Returns whether the second node reads no field that the first assigns."""
    made = _assigned_names(filled_parameters(first).full)
    read = set(_FIELD.findall(str(second.node.params)))
    if not made or "" in read:
        return False
    return not read & {name.partition(".")[0] for name in made}


def _assigned_names(params: Mapping[str, Any]) -> list[str] | None:
    """Returns the names that Edit Fields assigns, None in its JSON mode."""
    if params.get("mode") == "raw":
        return None
    assignments = params.get("assignments")
    if isinstance(assignments, Mapping):
        entries = assignments.get("assignments")
        listed = entries if isinstance(entries, list) else ()
        return [str(item.get("name")) for item in listed if isinstance(item, Mapping)]
    fields = params.get("fields", params.get("values"))
    groups = fields.values() if isinstance(fields, Mapping) else ()
    return [
        str(item.get("name"))
        for group in groups
        if isinstance(group, list)
        for item in group
        if isinstance(item, Mapping)
    ]


def _can_join_filters(first: ResolvedNode, second: ResolvedNode) -> bool:
    """Returns whether both nodes require all of their conditions, which one list can hold."""
    return _requires_all_conditions(first) and _requires_all_conditions(second)


def _requires_all_conditions(bound: ResolvedNode) -> bool:
    conditions = filled_parameters(bound).full.get("conditions")
    return isinstance(conditions, Mapping) and conditions.get("combinator", "and") == "and"


def _can_join_merges(first: ResolvedNode, second: ResolvedNode) -> bool:
    """Returns whether both nodes append, which one node with more inputs does (since version 3)."""
    return (first.version or 0) >= 3 and all(
        filled_parameters(resolved_node).full.get("mode") == "append"
        for resolved_node in (first, second)
    )


_JOINABLE = {SET: _can_join_sets, FILTER: _can_join_filters, MERGE: _can_join_merges}


def _referenced_names(flow: MainEdges) -> set[str]:
    """Returns the names of nodes to which expressions and scripts refer."""
    return {
        name
        for bound in flow.resolved.nodes
        if bound.spec is not None
        for text in collect_texts(bound)
        for _, quoted, plain in _NAME.findall(text.value)
        if (name := quoted or plain)
    }


def _report_pair(first: ResolvedNode, second: ResolvedNode) -> Diagnostic:
    label = first.tool.name if first.tool else ""
    return new_diagnostic(
        JOINABLE_NODES,
        second.node.at,
        f'"{first.node.name}" and "{second.node.name}" follow each other: one {label} does both',
        help=f'move the settings of "{second.node.name}" into "{first.node.name}"',
        node=second.node.name,
        related=(Related(first.node.at, "the first of them"),),
        alternatives=(str(first.node.tool),),
    )


def _find_if_chains(flow: MainEdges) -> Iterator[Diagnostic]:
    """Reports chains of Ifs along the false output that compare the same value."""
    compared = {
        bound.node.name: value
        for bound in flow.resolved.nodes
        if bound.node.tool == IF
        and flow.find_enabled_node(bound.node.name) is not None
        and (value := _compared_value(bound)) is not None
    }
    inner = set()
    for name, value in compared.items():
        following = _next_on_false(flow, name)
        if following is not None and compared.get(following) == value:
            inner.add(following)
    for name, value in compared.items():
        if name in inner:
            continue
        row = [name]
        while (following := _next_on_false(flow, row[-1])) in inner and following not in row:
            row.append(str(following))
        if len(row) >= _MIN_IFS:
            yield _report_chain(flow, row, value)


def _next_on_false(flow: MainEdges, name: str) -> str | None:
    """Returns the only node on the false output if it has no other input, otherwise None."""
    edges = [edge for edge in flow.after.get(name, ()) if edge.source_index == 1]
    if len(edges) != 1 or len(flow.before[edges[0].target]) != 1:
        return None
    return edges[0].target


def _compared_value(bound: ResolvedNode) -> str | None:
    """Returns the value that an If tests for equality, None if it has any other condition."""
    conditions = bound.node.params.get("conditions")
    if not isinstance(conditions, Mapping):
        return None
    entries = conditions.get("conditions")
    if isinstance(entries, list):
        (value,) = entries if len(entries) == 1 else (None,)
        if not isinstance(value, Mapping):
            return None
        operator = value.get("operator")
        equal = isinstance(operator, Mapping) and operator.get("operation") == "equals"
        left = value.get("leftValue")
    else:  # before version 2 the conditions are grouped by type
        groups = [group for group in conditions.values() if isinstance(group, list) and group]
        (value,) = groups[0] if len(groups) == 1 and len(groups[0]) == 1 else (None,)
        if not isinstance(value, Mapping):
            return None
        equal = value.get("operation", "equal") == "equal" and "boolean" not in conditions
        left = value.get("value1")
    return left if equal and isinstance(left, str) and left.startswith("=") else None


def _report_chain(flow: MainEdges, row: list[str], value: str) -> Diagnostic:
    first = flow.resolved.by_name[row[0]].node
    return new_diagnostic(
        JOINABLE_NODES,
        first.at,
        f'{len(row)} nodes from "{row[0]}" to "{row[-1]}" compare the same value: one Switch does',
        help="use a Switch with one rule for each value",
        node=first.name,
        token=value[:80],
        alternatives=(SWITCH,),
        related=(Related(flow.resolved.by_name[name].node.at, "part of it") for name in row[1:]),
    )
