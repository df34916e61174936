"""The ports of a node follow from its declaration and its parameters, or stay unknown."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.analysis.ports import Ports, parameter_enabling_port, ports_of
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.javascript.evaluate import compile_errors, evaluate
from grounded_builder.domains.n8n.javascript.v8_isolate import UnknownAnswerError
from grounded_builder.ir.graph import ResolvedNode
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.drafts import (
    FORK,
    REGISTRY,
    STEP,
    STORE,
    node,
    registry,
    tool,
    workflow,
)


def _resolved_node(
    type_: str, parameters: dict[str, Any], known: Any = REGISTRY, **more: Any
) -> ResolvedNode:
    graph = N8N.reading.read(workflow([node("N", type_, parameters, **more)])).graph
    assert graph is not None
    return resolve_graph(graph, N8N, known)[0].nodes[0]


def _ports(type_: str, parameters: dict[str, Any], **more: Any) -> Ports:
    return ports_of(_resolved_node(type_, parameters, **more))


def _mains(ports: Ports) -> int | None:
    return None if ports.outputs is None else len(ports.outputs.get("main", ()))


def test_a_declared_list_is_the_ports() -> None:
    """A node without port expressions has the ports that it declares."""
    ports = _ports(STEP, {})
    assert list(ports.inputs or {}) == list(ports.outputs or {}) == ["main"]


def test_a_table_gives_the_ports_of_its_row() -> None:
    """A row of the table holds where the parameters, defaults filled in, have its values."""
    assert list(_ports(STORE, {}).inputs or {}) == []
    assert list(_ports(STORE, {"mode": "insert"}).inputs or {}) == ["main"]


def test_an_expression_is_evaluated_where_no_row_holds() -> None:
    """Ports without a row follow from the source and the node's own parameters."""
    assert _mains(_ports(FORK, {})) == 1
    assert _mains(_ports(FORK, {"count": 5})) == 5


def test_ports_that_depend_on_an_expression_are_unknown() -> None:
    """A parameter that is known at run time only leaves the side that reads it unknown."""
    assert _ports(FORK, {"count": "={{ $json.n }}"}).outputs is None
    assert _ports(STORE, {"mode": "={{ $json.mode }}"}).inputs is None


def test_an_error_output_is_appended() -> None:
    """With ``onError`` set to continueErrorOutput a node has one more main output."""
    ports = _ports(FORK, {"count": 2}, onError="continueErrorOutput")
    assert [port.is_error for port in (ports.outputs or {})["main"]] == [False, False, True]


def test_unresolved_node_has_unknown_ports() -> None:
    """The ports of a node with an unknown type are unknown."""
    assert _ports("acme-nodes.inventedThing", {}) == Ports(None, None)


@pytest.mark.parametrize(
    "source",
    [
        "={{ (() => { for (;;) {} })() }}",
        "={{ (() => { const a = []; for (;;) a.push(new Array(1e6).fill(1)); })() }}",
        "={{ nobody.knows }}",
        "={{ 'main' }}",
        "={{ [1] }}",
        "={{ ((( }}",
    ],
)
def test_ports_of_failing_expression_are_unknown(source: str) -> None:
    """An endless, greedy, failing or invalid port expression makes ports unknown within seconds."""
    known = registry(tool("acme-nodes.odd", outputs={"source": source}))
    with limit_cpu_time(5):
        assert ports_of(_resolved_node("acme-nodes.odd", {}, known)).outputs is None
    assert evaluate("['main']", {}, 1) == ["main"]


def test_one_expression_cannot_change_the_next() -> None:
    """Changes of built-in objects by one port expression do not affect another."""
    with pytest.raises(UnknownAnswerError):
        evaluate("(() => { 'use strict'; Array.prototype.map = null; })()", {}, 1)
    assert evaluate("[1].map((one) => one + 1)", {}, 1) == [2]
    assert compile_errors([("expression", "1 +")])[0] is not None


def test_the_parameter_that_opens_a_port_is_named() -> None:
    """For a port that the node lacks, the one parameter that gives it is found in the table."""
    assert parameter_enabling_port(_resolved_node(STORE, {}), "inputs", "main", 0) == (
        "mode",
        "insert",
    )
    assert parameter_enabling_port(_resolved_node(STORE, {}), "inputs", "main", 1) is None
    assert parameter_enabling_port(_resolved_node(STEP, {}), "inputs", "ai_tool", 0) is None
