"""Find the workflows inside a workflow: in parameters that run them, and in any other text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from grounded_builder.catalog.sanitize import sub_closed
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.expressions.evaluated_parameters import is_used
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.domain import Embedded
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

# Texts inside texts that are read, and values that are looked at: more is no workflow of a person.
_MOST_TEXTS = 6
_MOST_VALUES = 200_000
_LEVELS = 150
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
# A node type is named PACKAGE.NODE; other lists of nodes, such as those of drawings, have no such.
_TYPE = re.compile(r"(?:@[\w.-]+/)?[\w-]+\.\w+")


@dataclass(frozen=True, slots=True)
class Unread:
    """A parameter by which a node runs a workflow that nothing can be known of, and why."""

    at: Route
    why: str


def embedded_workflows(resolved: ResolvedGraph) -> Iterator[Embedded]:
    """Find the workflows in the parameters of all nodes, also of disabled ones."""
    for bound in resolved.nodes:
        yield from _inside(bound)[0]


def unread_workflows(bound: ResolvedNode) -> tuple[Unread, ...]:
    """Returns the parameters of a node whose workflow cannot be judged."""
    return _inside(bound)[1]


def texts_read(bound: ResolvedNode) -> frozenset[Route]:
    """Returns the routes of the texts that are judged as the workflows that they hold."""
    return frozenset(
        embedded.at for embedded in _inside(bound)[0] if embedded.runs and embedded.is_text
    )


def takes_workflows(bound: ResolvedNode) -> bool:
    """Whether a node has a parameter that takes a whole workflow, used or not."""
    return bool(_declared(bound))


def string_leaves(value: Any, at: Route = (), key: str = "") -> Iterator[tuple[Route, str, str]]:
    """Walk the texts inside a JSON value: route, the nearest key, text."""
    stack: list[tuple[Route, str, Any]] = [(at, key, value)]
    while stack:
        route, name, item = stack.pop()
        if isinstance(item, str):
            yield route, name, item
        elif isinstance(item, Mapping):
            stack.extend(((*route, entry), str(entry), child) for entry, child in item.items())
        elif isinstance(item, list):
            stack.extend(((*route, index), name, child) for index, child in enumerate(item))


def _inside(bound: ResolvedNode) -> tuple[tuple[Embedded, ...], tuple[Unread, ...]]:
    known: tuple[tuple[Embedded, ...], tuple[Unread, ...]] | None = bound.memo.get("embedded")
    if known is not None:
        return known
    embedded: list[Embedded] = []
    unread: list[Unread] = []
    carriers = _carriers(bound)
    params: Mapping[str, Any] = bound.node.params
    if not carriers and not _may_hold_workflow(params):
        params = {}
    for name, value in params.items():
        at: Route = (*bound.node.at, "parameters", name)
        if name in carriers:
            _read_carrier(bound, at, value, embedded, unread)
        else:
            embedded.extend(_workflows(value, at, bound.node.name, runs=False))
    unread.extend(_fetched(bound))
    result = (tuple(embedded), tuple(unread))
    bound.memo["embedded"] = result
    return result


def _may_hold_workflow(params: Mapping[str, Any]) -> bool:
    """Whether values hold the word that every workflow has, or an escaped character."""
    try:
        written = orjson.dumps(params)
    except TypeError:
        return True
    return b"nodes" in written or b"\\u" in written


def _carriers(bound: ResolvedNode) -> frozenset[str]:
    """The shown parameters by which a node takes a whole workflow."""
    names = _declared(bound) & bound.node.params.keys()
    if not names:
        return frozenset()
    at = (*bound.node.at, "parameters")
    return frozenset(name for name in names if is_used(bound, (*at, name)))


def _declared(bound: ResolvedNode) -> frozenset[str]:
    return bound.spec.workflow_carriers if isinstance(bound.spec, NodeSpec) else frozenset()


def _read_carrier(
    bound: ResolvedNode, at: Route, value: Any, embedded: list[Embedded], unread: list[Unread]
) -> None:
    if isinstance(value, str) and not value.strip():
        return  # the parameter is missing, which is a finding of its own
    if isinstance(value, str) and value.startswith("="):
        unread.append(Unread(at, "it is written by an expression"))
    listed = list(_workflows(value, at, bound.node.name, runs=True))
    embedded.extend(listed)
    if not listed and not unread:
        unread.append(Unread(at, "its text is not the JSON of a workflow"))


def _fetched(bound: ResolvedNode) -> Iterator[Unread]:
    """Workflows that a node takes from elsewhere: a file of the host or an address.

    Execute Workflow has both (n8n-nodes-base 2.41, ExecuteWorkflow/GenericFunctions.js reads the
    file by ``fs`` and asks the address); whatever else has such a ``source`` does likewise.
    """
    source = bound.node.params.get("source")
    if not isinstance(source, str) or not takes_workflows(bound):
        return
    at: Route = (*bound.node.at, "parameters", "source")
    if source in ("localFile", "url"):
        where = "a file of the host" if source == "localFile" else "an address"
        yield Unread(at, f"it comes from {where} when it runs")
    elif source.startswith("="):
        yield Unread(at, "an expression chooses its source")


def _workflows(value: Any, at: Route, node: str, *, runs: bool) -> Iterator[Embedded]:
    """Find workflow objects in a value, in its texts, and in texts inside them."""
    # Route, value, whether it was read out of a text, and out of how many.
    stack: list[tuple[Route, Any, int]] = [(at, value, 0)]
    seen = 0
    while stack and seen < _MOST_VALUES:
        route, item, texts = stack.pop()
        seen += 1
        if isinstance(item, str):
            inner = _read(item, texts == 0 and runs) if texts < _MOST_TEXTS else None
            if inner is not None:
                stack.append((route, inner, texts + 1))
        elif isinstance(item, Mapping):
            if _is_workflow(item, texts == (1 if texts else 0) and runs):
                yield Embedded(route, node, item, texts > 0, runs)
            else:
                stack.extend(
                    (_below(route, key, texts), entry, texts) for key, entry in item.items()
                )
        elif isinstance(item, list):
            stack.extend(
                (_below(route, key, texts), entry, texts) for key, entry in enumerate(item)
            )


def _below(route: Route, key: str | int, texts: int) -> Route:
    """A route into a value; none leads into a text."""
    return route if texts or len(route) > _LEVELS else (*route, key)


def _read(text: str, runs: bool) -> Any:
    """The JSON value of a text that may hold a workflow; expressions in it count as null."""
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
