"""Graphs in the shapes of other programs are read, and nothing that they state is dropped."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import REGISTRY, START, STEP, node

NODES = [node("S", START, id="1"), node("T", STEP, id="2"), node("U", STEP, id="3")]


def _target(name: str, kind: str = "main", index: int = 0) -> dict[str, Any]:
    return {"node": name, "type": kind, "index": index}


CHAIN = {"S": {"main": [[_target("T")]]}, "T": {"main": [[_target("U")]]}}
PAIRS = [("1", "2"), ("2", "3")]
NAMED = [("S", "T"), ("T", "U")]


def _compile(document: Any) -> Compilation:
    return compile_with_fixes(document, N8N, REGISTRY, CompileOptions())


def _draft(**more: Any) -> dict[str, Any]:
    return {"name": "w", "nodes": NODES, **more}


@pytest.mark.parametrize(
    "stated",
    [
        {"edges": [{"source": a, "target": b} for a, b in PAIRS]},
        {"edges": [{"id": f"e{a}", "source": a, "target": b, "type": "step"} for a, b in PAIRS]},
        {"edges": [{"source": a, "target": b, "sourceHandle": None} for a, b in PAIRS]},
        {"edges": [{"data": {"id": "e", "source": a, "target": b}} for a, b in PAIRS]},
        {"links": [{"from": a, "to": b} for a, b in NAMED]},
        {"wires": [{"from_node": a, "to_node": b} for a, b in NAMED]},
        {"arcs": [[a, b] for a, b in NAMED]},
        {"flow": ["S -> T", "T --> U"]},
        {"graph": {"e1": {"src": "1", "dst": "2"}, "e2": {"src": "2", "dst": "3"}}},
        {"links": [{"sourceNodeId": a, "targetNodeId": b, "targetPort": 0} for a, b in PAIRS]},
        {"links": [{"from": {"node": a, "output": 0}, "to": {"node": b}} for a, b in NAMED]},
        {"connections": [{"source": a, "target": b} for a, b in PAIRS]},
        {"connections": [[a, b] for a, b in NAMED]},
    ],
)
def test_listed_edges_become_connections(stated: Any) -> None:
    """Whatever the key, each entry names both ends of an edge by name or id."""
    compilation = _compile(_draft(**stated))
    assert compilation.document == _draft(connections=CHAIN)
    assert compilation.verdict == "ok"


@pytest.mark.parametrize(
    ("entry", "kind", "output", "index"),
    [
        ({"sourceHandle": "outputs/main/1", "targetHandle": "inputs/main/0"}, "main", 1, 0),
        ({"sourceHandle": "false"}, "main", 1, 0),
        ({"sourceIndex": 2, "targetIndex": 1}, "main", 2, 1),
        ({"branch": True}, "main", 0, 0),
        ({"type": "ai_tool"}, "ai_tool", 0, 0),
        ({"output": "1", "input": "0"}, "main", 1, 0),
    ],
)
def test_an_edge_keeps_its_ports(entry: Any, kind: str, output: int, index: int) -> None:
    """Handles of n8n's canvas, its names of outputs, and plain indexes are read."""
    edge = {"source": "T", "target": "U", **entry}
    written = _compile(_draft(edges=[edge])).document["connections"]
    assert written["T"][kind][output] == [_target("U", kind, index)]


@pytest.mark.parametrize(
    "keys",
    [
        [{"next": "T"}, {"next": ["U"]}, {}],
        [{"next_steps": ["2"]}, {"next_steps": ["3"]}, {"next_steps": []}],
        [{}, {"dependsOn": ["S"]}, {"dependsOn": ["T"]}],
        [{"children": ["T"]}, {"parent": "S", "children": ["U"]}, {"parent": "T"}],
    ],
)
def test_edges_at_the_nodes_become_connections(keys: list[Any]) -> None:
    """A node may name those after it or before it."""
    nodes = [{**entry, **more} for entry, more in zip(NODES, keys, strict=True)]
    compilation = _compile({"name": "w", "nodes": nodes})
    assert compilation.document["connections"] == CHAIN
    assert compilation.verdict == "ok"


@pytest.mark.parametrize("by", ["id", "name"])
def test_nodes_keyed_in_an_object_become_a_list(by: str) -> None:
    """The key is the name of a node without one, else its id."""
    without = "name" if by == "name" else "id"
    keyed = {entry[by]: {k: v for k, v in entry.items() if k != without} for entry in NODES}
    compilation = _compile({"name": "w", "nodes": keyed, "connections": CHAIN})
    assert [(n["name"], n["type"]) for n in compilation.document["nodes"]] == [
        (n["name"], n["type"]) for n in NODES
    ]
    assert compilation.document["connections"] == CHAIN
    assert compilation.verdict == "ok"


@pytest.mark.parametrize(
    "stated",
    [
        {"edges": [{"source": "1", "target": "2", "sourceHandle": "output_1"}]},
        {"edges": [{"source": "1", "target": "nowhere"}, {"source": "1", "target": "2"}]},
        {"graph": [{"a": "S", "b": "T"}]},
        {"edges": [{"source": "S", "target": "U"}], "connections": CHAIN},
        {"layout": {"row": ["S", "T"]}},
        {"groups": [["S", "T"]]},
    ],
)
def test_a_value_that_may_state_edges_is_never_removed(stated: Any) -> None:
    """What cannot be read surely stays, and the workflow is wrong."""
    draft = _draft(**stated)
    compilation = _compile(draft)
    assert compilation.verdict == "wrong"
    assert {key: compilation.document[key] for key in stated} == stated
    key = next(iter(stated))
    assert any(item.at[:1] == (key,) and item.help for item in compilation.diagnostics)


def test_edges_that_repeat_the_connections_are_removed() -> None:
    """The same graph twice has one meaning."""
    edges = [{"source": a, "target": b} for a, b in NAMED]
    compilation = _compile(_draft(edges=edges, connections=CHAIN))
    assert compilation.document == _draft(connections=CHAIN)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda workflow: {"workflow": workflow, "meta": {"id": 7}},
        lambda workflow: {"workflow": {"id": 7, "name": "w", "workflow": workflow}},
        lambda workflow: {"data": {"attributes": {"workflow": workflow}}},
        lambda workflow: {"id": 1, "title": "w", "json": workflow},
        lambda workflow: [workflow],
    ],
)
def test_wrapped_graphs_are_read(wrap: Any) -> None:
    """Templates and galleries wrap workflows, also those with edges of another shape."""
    edges = [{"source": a, "target": b} for a, b in PAIRS]
    for draft in (_draft(connections=CHAIN), _draft(edges=edges)):
        compilation = _compile(wrap(draft))
        assert compilation.verdict == "ok"
        assert (compilation.artifact or {})["connections"] == CHAIN


def test_several_workflows_are_counted() -> None:
    """A file of many workflows is no draft of one."""
    compilation = _compile([_draft(connections=CHAIN), _draft(connections={})])
    assert [d.message for d in compilation.diagnostics] == [
        "the draft contains 2 different documents"
    ]
