"""Pages belong to a form that began the run, and messages to a chat."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.domains.n8n.drafts import STEP, Edge, node
from tests.unit.domains.n8n.structure_registry import (
    CHAT,
    CHAT_START,
    FORM,
    FORM_START,
    draft,
    findings_of,
)

LAST = {"operation": "completion"}


def test_a_page_needs_its_form() -> None:
    """A form page that no form trigger leads to is wrong; behind one, or an unknown, it is not."""
    pages = [node("P", FORM), node("T", STEP)]
    assert [d.node for d in findings_of(draft(pages, ("S", "T"), ("T", "P")), "N8N349")] == ["P"]
    begun = [*pages, node("F", FORM_START)]
    assert findings_of(draft(begun, ("F", "T"), ("T", "P")), "N8N349") == []
    unknown = [*pages, node("X", "acme-nodes.noSuchThingAtAll")]
    hole = draft(unknown, ("S", "X"), ("X", "P"))
    hole["nodes"][-1].pop("type")
    assert findings_of(hole, "N8N349") == []


def test_the_last_page_is_the_last() -> None:
    """No form page may follow the completion of a form."""
    nodes = [node("F", FORM_START), node("P", FORM, LAST), node("Q", FORM)]
    diagnostics = findings_of(draft(nodes, ("F", "P"), ("P", "Q")), "N8N349")
    assert [d.at[-1] for d in diagnostics] == ["operation"]
    assert findings_of(draft(nodes, ("F", "Q"), ("Q", "P")), "N8N349") == []


@pytest.mark.parametrize(
    ("parameters", "place"),
    [
        ({"options": {"responseMode": "responseNodes"}}, None),
        ({"options": {"responseMode": "={{ $json.mode }}"}}, None),
        ({}, "responseMode"),
        ({"options": {"responseMode": "lastNode"}}, "responseMode"),
        ({"mode": "webhook"}, "mode"),
    ],
)
def test_a_message_needs_a_chat_that_lets_it_answer(
    parameters: dict[str, Any], place: str | None
) -> None:
    """The chat that begins the run must be hosted and leave its answers to nodes."""
    nodes = [node("C", CHAT_START, parameters), node("M", CHAT)]
    diagnostics = findings_of(draft(nodes, ("C", "M")), "N8N349")
    assert [d.at[-1] for d in diagnostics] == ([] if place is None else [place])


def test_a_message_needs_a_chat() -> None:
    """A chat message fails in a workflow without a chat trigger."""
    edge: Edge = ("S", "M")
    assert [d.node for d in findings_of(draft([node("M", CHAT)], edge), "N8N349")] == ["M"]
    unknown = [node("M", CHAT), node("X", "acme-nodes.noSuchThingAtAll")]
    assert findings_of(draft(unknown, edge), "N8N349") == []
