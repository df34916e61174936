"""Advice on scripts and rows of nodes that core nodes replace."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.javascript.script_shape import classify_script
from tests.support.growth import find_growth_fault
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.drafts import (
    START,
    STEP,
    Edge,
    Line,
    compile_workflow,
    node,
    registry,
    text,
    tool,
    workflow,
)

BASE = "n8n-nodes-base."
CODE, SET, FILTER, MERGE, IF = (BASE + name for name in ("code", "set", "filter", "merge", "if"))
SCRIPTS = [
    (load["shape"], "\n".join(load["script"]))
    for load in json.loads(Path(__file__).with_name("advice_scripts.json").read_text("utf-8"))
]
JSON = {"type": "json", "default": {}}
BRANCHES = [{"kind": "main"}, {"kind": "main"}]
KNOWN: Registry = registry(
    tool(CODE, parameters=[text("jsCode", typeOptions={"editor": "jsEditor"}), text("language")]),
    tool(SET, parameters=[{"name": "assignments", **JSON}]) | {"name": "Edit Fields"},
    tool(FILTER, parameters=[{"name": "conditions", **JSON}]) | {"name": "Filter"},
    tool(
        MERGE,
        inputs=BRANCHES,
        parameters=[text("mode", default="append")],
        versions=[3],
    ),
    tool(IF, outputs=BRANCHES, parameters=[{"name": "conditions", **JSON}]),
    tool(BASE + "switch"),
)


def advice(draft: Line, code: str) -> list[Diagnostic]:
    """The findings of one code over the catalog of this file."""
    return [d for d in compile_workflow(draft, known=KNOWN).diagnostics if d.code == code]


@pytest.mark.parametrize(("shape", "code"), SCRIPTS)
def test_a_script_that_a_core_node_replaces_is_known_by_its_shape(shape: str, code: str) -> None:
    """Names, spaces, comments and what is prepared before do not change what a script does."""
    assert classify_script(code) == shape


@pytest.mark.parametrize(
    "code",
    [
        "return items.map(i => ({json: {x: JSON.parse(i.json.a)}}));",
        "return items.filter(i => i.json.a).map(i => ({json: {b: 1}}));",
        "const r = await this.helpers.httpRequest({url: 'x'}); return [{json: r}];",
        "return [{json: {a: 1}}, {json: {b: 2}}];",
        "return items.sort(() => Math.random() - 0.5);",
        "return items.filter((i, n) => i.json.v > items[n - 1].json.v);",
        "const a = items[0].json, b = items[1].json; return [{json: {a, b}}];",
        "for (const i of items) { if (i.json.a) { i.json.b = 1; } }\nreturn items;",
        "return [{ json: { ...$('Other').item.json, a: 1 } }];",
        "const d = $getWorkflowStaticData('global'); d.n = 1; return items;",
        "return items.map(i => { i.binary.data = 1; return i; });",
        "return items.filter(i => { seen.push(i); return true; });",
        "const n = $json.text.split(' ').filter(w => w).length; return [{json: {n}}];",
        "const data = JSON.parse($json.data); return { json: { k: data[1] } };",
        "return [{ json: { n: items.length } }];",
        "return (((",
        "",
    ],
)
def test_a_script_that_does_more_is_left_alone(code: str) -> None:
    """State, requests, several items out of one, parsing and other nodes' fields need a script."""
    assert classify_script(code) is None


@pytest.mark.parametrize(
    "piece", [".has(", "return{json:{", "({[", "items.filter(", "`${", "//", "/"]
)
def test_a_hostile_script_takes_bounded_time(piece: str) -> None:
    """A script made to be slow to look at is not."""
    with limit_cpu_time(0.5):
        classify_script(("return items.filter(a=>{" + piece * 2000)[:1190] + " return")


def test_the_core_node_is_named_where_it_is_installed() -> None:
    """Advice names only what is there; Sort is not in this catalog."""
    filtering = node("C", CODE, {"jsCode": "return items.filter(i => i.json.a);"})
    (diagnostic,) = advice(workflow([node("S", START), filtering], [("S", "C")]), "N8N335")
    assert diagnostic.alternatives == (FILTER,)
    sorting = node("C", CODE, {"jsCode": "return items.sort((a, b) => a.json.x - b.json.x);"})
    assert not advice(workflow([node("S", START), sorting], [("S", "C")]), "N8N335")
    python = node(
        "C", CODE, {"jsCode": "return items.filter(i => i.json.a);", "language": "python"}
    )
    assert not advice(workflow([node("S", START), python], [("S", "C")]), "N8N335")


def fields(name: str, value: str, **more: object) -> Line:
    """Edit Fields that sets one field named as the node."""
    return node(
        name, SET, {"assignments": {"assignments": [{"name": name, "value": value}]}}, **more
    )


def row(*nodes: Line, more: tuple[Edge, ...] = ()) -> Line:
    """A workflow of nodes one after another."""
    names = ["S", *(item["name"] for item in nodes)]
    return workflow([node("S", START), *nodes], [*pairwise(names), *more])


def test_edit_fields_that_do_not_read_each_other_are_one() -> None:
    """Two in a row set all their fields at once."""
    (diagnostic,) = advice(row(fields("a", "1"), fields("b", "={{ $json.c }}")), "N8N337")
    assert diagnostic.node == "b"


@pytest.mark.parametrize(
    "draft",
    [
        row(fields("a", "1"), fields("b", "={{ $json.a }}")),
        row(fields("a", "1"), fields("b", "={{ $json }}")),
        row(fields("a", "1"), fields("b", "2"), node("T", STEP, {"text": "={{ $('a').item }}"})),
        row(fields("a", "1"), fields("b", "2", onError="continueRegularOutput")),
        row(fields("a", "1"), fields("b", "2"), node("T", STEP), more=(("a", "T"),)),
    ],
)
def test_edit_fields_that_need_each_other_stay_two(draft: Line) -> None:
    """Edit Fields nodes are not joined if one is read, named, handled or connected separately."""
    assert not advice(draft, "N8N337")


def test_filters_that_want_everything_are_one() -> None:
    """Conditions that all must hold fit in one Filter; alternatives do not."""
    all_of, any_of = {"conditions": {"combinator": "and"}}, {"conditions": {"combinator": "or"}}
    assert len(advice(row(node("F", FILTER, all_of), node("G", FILTER, all_of)), "N8N337")) == 1
    assert not advice(row(node("F", FILTER, all_of), node("G", FILTER, any_of)), "N8N337")


def test_appending_merges_are_one() -> None:
    """A Merge takes more than two inputs; one that combines does another thing."""
    for mode, count in (("append", 1), ("combine", 0)):
        nodes = [node("M", MERGE, typeVersion=3), node("N", MERGE, {"mode": mode}, typeVersion=3)]
        assert len(advice(row(*nodes), "N8N337")) == count


def make_if_chain(count: int, left: str = "={{ $json.kind }}") -> Line:
    """Ifs one after another along the false output."""
    operator = {"type": "string", "operation": "equals"}
    nodes = []
    for index in range(count):
        asked = left if index else "={{ $json.kind }}"
        entries = {"leftValue": asked, "rightValue": str(index), "operator": operator}
        nodes.append(node(f"I{index}", IF, {"conditions": {"conditions": [entries]}}))
    edges: list[Edge] = [("S", "I0")]
    edges += [(f"I{i}", "main", 1, f"I{i + 1}", "main", 0) for i in range(count - 1)]
    return workflow([node("S", START), *nodes], edges)


def test_ifs_that_ask_for_one_value_are_a_switch() -> None:
    """Three questions about one value are one; two, or about several values, are not."""
    (diagnostic,) = advice(make_if_chain(3), "N8N337")
    assert (diagnostic.node, diagnostic.alternatives) == ("I0", (BASE + "switch",))
    assert len(diagnostic.related) == 2
    assert not advice(make_if_chain(2), "N8N337")
    assert not advice(make_if_chain(3, left="={{ $json.other }}"), "N8N337")


def test_advice_is_linear() -> None:
    """A row of nodes that is four times as long takes about four times as long, not sixteen."""

    def fields_row(count: int) -> Line:
        return row(*(fields(f"n{index}", "x") for index in range(count)))

    def check(draft: Line) -> None:
        assert len(advice(draft, "N8N337")) == len(draft["nodes"]) - 2

    assert not find_growth_fault(check, fields_row, shortest=4_000, longest=4_000)
