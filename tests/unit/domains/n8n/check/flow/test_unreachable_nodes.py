"""A node runs when a trigger leads to it, or when it serves one that runs."""

from __future__ import annotations

import pytest

from tests.unit.domains.n8n.drafts import MODEL, PICKY, START, STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import LOOP, draft, findings_of, nodes_of

AI: Edge = ("M", "ai_languageModel", 0, "P", "ai_languageModel", 0)


def test_reachable_nodes_are_not_reported() -> None:
    """Steps behind a trigger, their sub-nodes and steps behind a disabled one are reachable."""
    nodes = [node("P", PICKY), node("M", MODEL), node("T", STEP, disabled=True), node("U", STEP)]
    assert nodes_of(draft(nodes, ("S", "P"), AI, ("P", "T"), ("T", "U")), "N8N314") == []


def test_a_part_is_reported_once_at_its_first_node() -> None:
    """Of unreachable steps the first is named, with the number of the steps behind it."""
    nodes = [node("A", STEP), node("P", PICKY), node("M", MODEL), node("B", STEP)]
    diagnostics = findings_of(draft(nodes, ("B", "A"), ("A", "P"), AI), "N8N314")
    assert [d.node for d in diagnostics] == ["B"]
    assert "or the 3 after it" in diagnostics[0].message


def test_a_circle_apart_is_reported_once() -> None:
    """Steps that only lead to each other have no first: one of them is named."""
    nodes = [node("A", STEP), node("B", STEP)]
    assert nodes_of(draft(nodes, ("A", "B"), ("B", "A")), "N8N314") == ["A"]


def test_a_circle_apart_is_reported_where_it_is_entered() -> None:
    """A loop that nothing enters is reported at its loop node, and before what it leads to."""
    nodes = [node("U", STEP), node("T", STEP), node("L", LOOP), node("A", STEP), node("B", STEP)]
    edges: list[Edge] = [("T", "L"), ("L", "T"), ("T", "A"), ("A", "B"), ("B", "A"), ("A", "U")]
    assert nodes_of(draft(nodes, *edges), "N8N314") == ["L"]


def test_a_node_without_an_edge_is_reported() -> None:
    """A lone step or sub-node never runs; a disabled one is meant not to, a trigger needs none."""
    nodes = [node("A", STEP), node("M", MODEL), node("B", STEP, disabled=True), node("X", START)]
    diagnostics = findings_of(draft(nodes), "N8N314")
    assert [d.node for d in diagnostics] == ["A", "M"]
    assert all("is not connected" in d.message for d in diagnostics)


def test_a_disabled_trigger_starts_nothing() -> None:
    """The help names the disabled node that leads to a step."""
    nodes = [node("X", START, disabled=True), node("A", STEP)]
    diagnostics = findings_of(draft(nodes, ("X", "A")), "N8N314")
    assert [d.help.startswith('enable "X"') for d in diagnostics] == [True]


@pytest.mark.parametrize(
    "edges",
    [(("G", "A"),), (("gone", "A"),), (("M", "A"),), (("A", "ai_languageModel", 0, "M", "x", 0),)],
)
def test_nodes_behind_unknown_node_are_not_reported(edges: tuple[Edge, ...]) -> None:
    """Unknown types and missing nodes may be triggers; a misdrawn sub-node has a finding."""
    nodes = [node("G", "acme-nodes.noSuchThingAtAll"), node("A", STEP), node("M", MODEL)]
    more: tuple[Edge, ...] = () if "A" in edges[0][1:] else (("S", "A"),)
    others = [name for name in nodes_of(draft(nodes, *edges, *more), "N8N314") if name != "M"]
    assert others == []


def test_a_workflow_without_a_trigger_has_no_other_finding() -> None:
    """In a workflow without a trigger no node is reported as unreachable."""
    document = draft([node("A", STEP)])
    document["nodes"] = document["nodes"][1:]
    assert nodes_of(document, "N8N314") == []
    assert len(findings_of(document, "N8N301")) == 1
