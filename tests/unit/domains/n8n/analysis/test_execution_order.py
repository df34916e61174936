"""The order of nodes that the connections of a workflow prove."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.analysis.execution_order import ExecutionOrder
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.read.workflow import read
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.drafts import (
    CODE,
    MODEL,
    PICKY,
    REGISTRY,
    START,
    STEP,
    WEBHOOK,
    Edge,
    findings_of,
    node,
    workflow,
)

LINE: list[Edge] = [("S", "A"), ("A", "T"), ("T", "D"), ("D", "E")]


def _flow(names: str, edges: list[Edge], starts: str = "S") -> ExecutionOrder:
    nodes = [node(name, START if name in starts else STEP) for name in names]
    graph = read(workflow(nodes, edges)).graph
    assert graph is not None
    return ExecutionOrder(resolve_graph(graph, N8N, REGISTRY)[0])


def test_node_on_every_path_behind_another_runs_later() -> None:
    """A node that is reached only through another one has not run when that one does."""
    flow = _flow("SATDE", LINE)
    assert [name for name in "SATDE" if flow.runs_later(name, "T")] == ["T", "D", "E"]
    assert [name for name in "SATDE" if flow.is_upstream(name, "T")] == ["S", "A"]


def test_node_with_bypass_may_have_run() -> None:
    """A node that is also reached otherwise may have run before."""
    flow = _flow("SATDE", [*LINE, ("S", "D")])
    assert not flow.runs_later("D", "T")
    assert not flow.runs_later("E", "T")
    assert not flow.is_upstream("D", "T")


def test_a_loop_leads_to_itself_yet_runs_later_at_first() -> None:
    """In a loop a node leads to itself, but nodes behind it have not run the first time."""
    flow = _flow("SATDE", [*LINE, ("D", "T")])
    assert flow.is_upstream("D", "T")
    assert flow.runs_later("D", "T")
    assert not flow.runs_later("T", "D")


def test_each_run_has_one_start() -> None:
    """Nodes behind another trigger never run before, and nodes behind the same one may."""
    edges: list[Edge] = [("S", "A"), ("S", "B"), ("R", "C")]
    flow = _flow("SRABC", edges, starts="SR")
    assert flow.runs_later("C", "A")
    assert flow.runs_later("R", "A")
    assert not flow.runs_later("B", "A")


def test_unreachable_node_has_no_known_order() -> None:
    """A node that never runs reads too early only what it alone leads to."""
    flow = _flow("SAUVWX", [("S", "A"), ("U", "V"), ("V", "W"), ("X", "W")])
    assert not flow.is_run("U")
    assert not flow.runs_later("A", "U")
    assert flow.runs_later("V", "U")  # it only begins where it is read
    assert not flow.runs_later("W", "U")


def test_a_circle_that_nothing_leads_into_has_no_order() -> None:
    """In a cycle without an entry no node is proven to run later than another."""
    flow = _flow("SUVW", [("U", "V"), ("V", "W"), ("W", "U")])
    assert not flow.runs_later("W", "U")


def test_a_sub_node_runs_with_its_root() -> None:
    """Nodes upstream of the root are upstream of its sub-nodes, also through other sub-nodes."""
    names = {"S": START, "A": STEP, "P": PICKY, "M": MODEL, "N": MODEL, "Z": STEP}
    edges: list[Edge] = [
        ("S", "A"),
        ("A", "P"),
        ("P", "Z"),
        ("M", "ai_languageModel", 0, "P", "ai_languageModel", 0),
        ("N", "ai_languageModel", 0, "M", "ai_languageModel", 0),
    ]
    graph = read(workflow([node(name, kind) for name, kind in names.items()], edges)).graph
    assert graph is not None
    flow = ExecutionOrder(resolve_graph(graph, N8N, REGISTRY)[0])
    assert flow.roots("N") == ("P",)
    assert flow.is_upstream("A", "N")
    assert flow.runs_later("Z", "N")
    assert not flow.runs_later("M", "N")


def _make_reading_workflow(code: str, **more: Any) -> dict[str, Any]:
    nodes = [node(name, STEP) for name in "ADE"]
    entries = node("T", STEP, {"text": "={{ " + code + " }}"}, **more)
    side = [node("B", STEP)]
    return workflow([node("S", START), *nodes, entries, *side], [*LINE, ("S", "B")])


@pytest.mark.parametrize(
    "code",
    [
        "$('D').first().json.x",
        "$('E').item.json.x || 'none'",
        "$node['D'].json.x",
        "$items('D')[0].json.x",
        "$('T').all()",
        "$('B').item.json.x",
        "$node['B'].json.x",
    ],
)
def test_reading_what_cannot_be_there_is_wrong(code: str) -> None:
    """n8n fails when a node has not run, and when an item's path does not lead back to it."""
    assert [
        diagnostic.token for diagnostic in findings_of(_make_reading_workflow(code), "N8N328")
    ] == [code.split("'")[1]]


@pytest.mark.parametrize(
    "code",
    [
        "$('D').isExecuted",
        "$('D').params.text",
        "$if($('D').isExecuted, $('D').first().json.x, '')",
        "$json.again ? $('D').first().json.x : 1",
        "$json.x || $('D').first().json.x",
        "$json.x && $('D').first().json.x",
        "[1].map(() => $('D').first())",
        "$('A').item.json.x + $('S').first().json.y",
        "$('B').first().json.x",
    ],
)
def test_reading_what_may_be_there_is_not_wrong(code: str) -> None:
    """A guarded use, a use of what is always there, and a doubt are no proof."""
    assert findings_of(_make_reading_workflow(code), "N8N328") == []


def test_read_of_node_that_may_not_have_run_is_advice() -> None:
    """A node that is not upstream but may have run is advice, and one upstream is silent."""
    assert [
        diagnostic.token
        for diagnostic in findings_of(_make_reading_workflow("$('B').first().json.x"), "N8N329")
    ] == ["B"]
    assert findings_of(_make_reading_workflow("$('A').first().json.x"), "N8N329") == []


def test_a_failure_in_a_loop_that_goes_on_is_not_wrong() -> None:
    """If a node continues after a failure and the loop returns, the read is advice."""
    draft = _make_reading_workflow("$('D').first().json.x", onError="continueRegularOutput")
    assert len(findings_of(draft, "N8N328")) == 1
    draft["connections"]["D"]["main"][0].append({"node": "T", "type": "main", "index": 0})
    assert findings_of(draft, "N8N328") == []
    assert len(findings_of(draft, "N8N329")) == 1


def test_pinned_data_stands_for_a_run_by_hand() -> None:
    """n8n reads pinned data of a node that has not run only in manual runs."""
    draft = _make_reading_workflow("$('D').first().json.x") | {"pinData": {"D": [{"json": {}}]}}
    assert findings_of(draft, "N8N328") == []
    draft["nodes"][0] = node("S", WEBHOOK, {"path": "a"})
    assert len(findings_of(draft, "N8N328")) == 1


def test_code_that_runs_always_reads_too_early_like_an_expression() -> None:
    """The first statement of a body is certain, one behind a branch is not."""
    nodes = [node("S", WEBHOOK), node("D", STEP)]
    body = "const a = $('D').first();\nreturn [a]"
    for text, item in ((body, 1), ("if ($runIndex) { " + body + " }", 0)):
        code = node("C", CODE, {"jsCode": text})
        draft = workflow([*nodes, code], [("S", "C"), ("C", "D")])
        assert len(findings_of(draft, "N8N328")) == item


def test_a_large_workflow_takes_linear_time() -> None:
    """Five thousand nodes in a line, each of which reads the first, are ordered within seconds."""
    names = [f"n{number}" for number in range(5000)]
    edges: list[Edge] = list(pairwise(names))
    nodes = [node("S", START), *(node(name, STEP) for name in names)]
    graph = read(workflow(nodes[::-1], [("S", "n0"), *edges])).graph
    assert graph is not None
    resolved = resolve_graph(graph, N8N, REGISTRY)[0]
    with limit_cpu_time(4):
        flow = ExecutionOrder(resolved)
        assert all(flow.is_upstream("n0", name) for name in names[1:])
