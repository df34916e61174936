"""Unconnected outputs that a setting or a rule created."""

from __future__ import annotations

from tests.unit.domains.n8n.drafts import STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import DECISION, SORTER, draft, findings_of


def test_an_open_side_of_a_decision_is_a_filter() -> None:
    """One unread output among those that a node has anyway is no finding."""
    nodes = [node("D", DECISION), node("T", STEP)]
    assert findings_of(draft(nodes, ("S", "D"), ("D", "T")), "N8N315") == []


def test_a_decision_that_leads_nowhere_is_reported() -> None:
    """A node that chooses among outputs, none of which is read, does nothing."""
    assert [d.node for d in findings_of(draft([node("D", DECISION)], ("S", "D")), "N8N315")] == [
        "D"
    ]


def test_an_output_made_by_a_parameter_is_to_be_read() -> None:
    """Outputs that follow from parameters are listed where no one reads them."""
    nodes = [node("R", SORTER, {"ways": "red,green,blue"}), node("T", STEP)]
    edges: list[Edge] = [("S", "R"), ("R", "main", 1, "T", "main", 0)]
    diagnostics = findings_of(draft(nodes, *edges), "N8N315")
    assert [d.token for d in diagnostics] == ["0"]
    assert "0 (red), 2 (blue)" in diagnostics[0].message


def test_an_error_output_is_to_be_read() -> None:
    """Failures that leave by an output of their own must arrive somewhere."""
    nodes = [node("T", STEP, onError="continueErrorOutput"), node("U", STEP)]
    diagnostics = findings_of(draft(nodes, ("S", "T"), ("T", "U")), "N8N315")
    assert [d.at[-1] for d in diagnostics] == ["onError"]
    read: Edge = ("T", "main", 1, "U", "main", 0)
    assert findings_of(draft(nodes, ("S", "T"), ("T", "U"), read), "N8N315") == []


def test_nodes_out_of_use_are_silent() -> None:
    """Disabled nodes and nodes without edges have no unused outputs."""
    off = node("D", DECISION, disabled=True)
    assert findings_of(draft([off, node("E", DECISION)], ("S", "D")), "N8N315") == []
