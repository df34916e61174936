"""Finds the workflows inside parameters of nodes, and parameters whose workflow is unchecked."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from grounded_builder.catalog.text_cleaning import sub_closed
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_used
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.domain import Embedded
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

# Bounds against hostile input: nested JSON texts, values and levels of a parameter.
_MAX_NESTED_TEXTS = 6
_MAX_VALUES = 200_000
_MAX_ROUTE_LENGTH = 150
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
# A node type has the form PACKAGE.NODE; other lists of "nodes", such as those of drawings, do not.
_TYPE = re.compile(r"(?:@[\w.-]+/)?[\w-]+\.\w+")


@dataclass(frozen=True, slots=True)
class UncheckedWorkflow:
    """A parameter by which a node runs a workflow that cannot be checked, and the reason."""

    at: Route
    why: str


def embedded_workflows(resolved: ResolvedGraph) -> Iterator[Embedded]:
    """Yields the workflows in the parameters of all nodes, including disabled ones."""
    for bound in resolved.nodes:
        yield from _scan_parameters(bound)[0]


def unchecked_workflows(bound: ResolvedNode) -> tuple[UncheckedWorkflow, ...]:
    """Returns the parameters of a node whose workflow cannot be checked."""
    return _scan_parameters(bound)[1]


def routes_of_embedded(bound: ResolvedNode) -> frozenset[Route]:
    """Returns the routes of the texts that are checked as the workflows that they contain."""
    return frozenset(
        embedded.at for embedded in _scan_parameters(bound)[0] if embedded.runs and embedded.is_text
    )


def has_workflow_parameter(bound: ResolvedNode) -> bool:
    """Returns whether a node has a parameter that takes a whole workflow, used or not."""
    return bool(_declared_carriers(bound))


def _scan_parameters(
    bound: ResolvedNode,
) -> tuple[tuple[Embedded, ...], tuple[UncheckedWorkflow, ...]]:
    """Returns the embedded and the uncheckable workflows of a node, cached on it."""
    known: tuple[tuple[Embedded, ...], tuple[UncheckedWorkflow, ...]] | None = bound.memo.get(
        "embedded"
    )
    if known is not None:
        return known
    embedded: list[Embedded] = []
    unread: list[UncheckedWorkflow] = []
    carriers = _shown_carriers(bound)
    params: Mapping[str, Any] = bound.node.params
    if not carriers and not _may_hold_workflow(params):
        params = {}
    for name, value in params.items():
        at: Route = (*bound.node.at, "parameters", name)
        if name in carriers:
            _read_carrier(bound, at, value, embedded, unread)
        else:
            embedded.extend(_find_workflows(value, at, bound.node.name, runs=False))
    unread.extend(_fetched_workflows(bound))
    result = (tuple(embedded), tuple(unread))
    bound.memo["embedded"] = result
    return result


def _may_hold_workflow(params: Mapping[str, Any]) -> bool:
    """Returns whether values contain the key that every workflow has, or an escaped character."""
    try:
        written = orjson.dumps(params)
    except TypeError:
        return True
    return b"nodes" in written or b"\\u" in written


def _shown_carriers(bound: ResolvedNode) -> frozenset[str]:
    """Returns the shown parameters by which a node takes a whole workflow."""
    names = _declared_carriers(bound) & bound.node.params.keys()
    if not names:
        return frozenset()
    at = (*bound.node.at, "parameters")
    return frozenset(name for name in names if is_used(bound, (*at, name)))


def _declared_carriers(bound: ResolvedNode) -> frozenset[str]:
    return bound.spec.workflow_carriers if isinstance(bound.spec, NodeSpec) else frozenset()


def _read_carrier(
    bound: ResolvedNode,
    at: Route,
    value: Any,
    embedded: list[Embedded],
    unread: list[UncheckedWorkflow],
) -> None:
    if isinstance(value, str) and not value.strip():
        return  # another rule reports the missing parameter
    if isinstance(value, str) and value.startswith("="):
        unread.append(UncheckedWorkflow(at, "an expression computes it"))
    workflows = list(_find_workflows(value, at, bound.node.name, runs=True))
    embedded.extend(workflows)
    if not workflows and not unread:
        unread.append(UncheckedWorkflow(at, "its text is not the JSON of a workflow"))


def _fetched_workflows(bound: ResolvedNode) -> Iterator[UncheckedWorkflow]:
    """Yields a workflow that a node loads from a file of the host or from a URL.

    Execute Workflow does both (n8n-nodes-base 2.41, ExecuteWorkflow/GenericFunctions.js reads the
    file by ``fs`` and requests the URL); other nodes with such a ``source`` are treated alike.
    """
    source = bound.node.params.get("source")
    if not isinstance(source, str) or not has_workflow_parameter(bound):
        return
    at: Route = (*bound.node.at, "parameters", "source")
    if source in ("localFile", "url"):
        where = "a file of the host" if source == "localFile" else "a URL"
        yield UncheckedWorkflow(at, f"it is loaded from {where} at run time")
    elif source.startswith("="):
        yield UncheckedWorkflow(at, "an expression selects its source")


def _find_workflows(value: Any, at: Route, node: str, *, runs: bool) -> Iterator[Embedded]:
    """Yields the workflow objects in a value, in its texts, and in texts inside these."""
    # Route, value, number of JSON texts around the value.
    stack: list[tuple[Route, Any, int]] = [(at, value, 0)]
    seen = 0
    while stack and seen < _MAX_VALUES:
        route, item, texts = stack.pop()
        seen += 1
        if isinstance(item, str):
            inner = _parse_json(item, texts == 0 and runs) if texts < _MAX_NESTED_TEXTS else None
            if inner is not None:
                stack.append((route, inner, texts + 1))
        elif isinstance(item, Mapping):
            if _is_workflow(item, texts == (1 if texts else 0) and runs):
                yield Embedded(route, node, item, texts > 0, runs)
            else:
                stack.extend(
                    (_extend_route(route, key, texts), entry, texts) for key, entry in item.items()
                )
        elif isinstance(item, list):
            stack.extend(
                (_extend_route(route, key, texts), entry, texts) for key, entry in enumerate(item)
            )


def _extend_route(route: Route, key: str | int, texts: int) -> Route:
    """Returns the route of a child; values inside a JSON text keep the route of the text."""
    return route if texts or len(route) > _MAX_ROUTE_LENGTH else (*route, key)


def _parse_json(text: str, runs: bool) -> Any:
    """Parses the JSON of a text that may contain a workflow; expressions count as null."""
    begin = text.removeprefix("=").lstrip()
    if begin[:1] not in ("{", "[", '"') or not (runs or "nodes" in begin or "\\u" in begin):
        return None
    for candidate in dict.fromkeys((begin, sub_closed(_EXPRESSION, "}}", "null", begin))):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _is_workflow(item: Mapping[str, Any], runs: bool) -> bool:
    nodes = item.get("nodes")
    if not isinstance(nodes, list):
        return False
    types = (node.get("type") for node in nodes if isinstance(node, Mapping))
    return runs or any(isinstance(type_, str) and _TYPE.fullmatch(type_.strip()) for type_ in types)
