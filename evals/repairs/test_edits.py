"""Tests that edits of real and own workflows keep the bytes of unrelated parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from evals.faults.scene import Scene
from evals.repairs.outcome import Workshop
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.text_edits import rewrite_text
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.n8n.read.workflow import read
from grounded_builder.drafting.edits.apply import Revision, apply_edits
from grounded_builder.drafting.edits.rules import edits_from_text
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions

_NOTE = "n8n-nodes-base.stickyNote"
_SLACK = "n8n-nodes-base.slack"
_WORKFLOWS = 40
_LEAST = 20


def _make_requests(document: Any, rng: Random) -> Iterator[str]:
    """Yields edit requests for a workflow: for the whole, for one node, for two in a row."""
    graph = read(document).graph
    assert graph is not None
    names = [node.name for node in graph.nodes if node.tool != _NOTE and '"' not in node.name]
    if not names:
        return
    yield "add an error notification"
    yield "add an error notification by Telegram"
    yield "run it hourly"
    yield "run it every Monday at 9"
    choice = rng.choice(names)
    yield f'rename "{choice}" to Another name'
    yield f'disable "{choice}"'
    yield f'remove "{choice}"'
    yield f'add Wait after "{choice}"'
    if any(node.tool == _SLACK for node in graph.nodes):
        yield "replace Slack by Teams"
    edges = [edge for edge in graph.edges if edge.source_kind == "main"]
    pairs = [(e.source, e.target) for e in edges if e.source in names and e.target in names]
    if pairs:
        source, target = rng.choice(pairs)
        yield f'add a Filter between "{source}" and "{target}"'


def _count_edits(scenes: list[Scene], workshop: Workshop) -> int:
    """Returns the number of edits made; asserts that each leaves every other node unchanged."""
    ground = EditContext(N8N, workshop.registry, CompileOptions(purpose="import"))
    rng = Random("edits")
    made = 0
    for scene in rng.sample(scenes, min(len(scenes), _WORKFLOWS)):
        document = scene.document
        text = json.dumps(document, indent=rng.choice([None, 2, "\t"]))
        for request in _make_requests(document, rng):
            drafted = edits_from_text(request, document, EDITOR, ground)
            if not drafted.changes:
                continue
            revision = apply_edits(document, {"changes": list(drafted.changes)}, EDITOR, ground)
            if revision.document is not None:
                made += 1
                _check_edit(document, text, revision, workshop)
    return made


def _check_edit(document: Any, text: str, revision: Revision, workshop: Workshop) -> None:
    after = revision.document
    new = rewrite_text(text, document, after)
    assert json.loads(new) == after
    before_graph, graph = read(document).graph, read(after).graph
    assert before_graph is not None
    assert graph is not None
    noted = " ".join(revision.notes)
    now = [json.dumps(node.source) for node in graph.nodes]
    for node in before_graph.nodes:
        if f'"{node.name}"' not in noted:
            assert json.dumps(node.source) in now
    options = CompileOptions(purpose="import")
    old, judged = (
        compile_draft(item, N8N, workshop.registry, options) for item in (document, after)
    )
    if old.verdict != "wrong":
        assert judged.verdict != "wrong"


def test_edits_leave_real_workflows_as_they_are(
    workshop: Workshop, real_scenes: list[Scene]
) -> None:
    """Edits of real workflows change no other node and make no workflow wrong."""
    assert _count_edits(real_scenes, workshop) >= _LEAST


def test_edits_leave_own_workflows_as_they_are(workshop: Workshop, own_scenes: list[Scene]) -> None:
    """Edits of the own workflows change no other node and make no workflow wrong."""
    assert _count_edits(own_scenes, workshop) >= _LEAST


@pytest.mark.parametrize(
    ("trigger", "request_", "expected"),
    [
        ("scheduleTrigger", "run it hourly", "/nodes/0/parameters/rule"),
        ("gmailTrigger", "run it hourly", "/nodes/0/parameters/pollTimes"),
        ("manualTrigger", "run it hourly", "Schedule Trigger"),
    ],
)
def test_a_clock_is_set_where_there_is_one(
    workshop: Workshop, trigger: str, request_: str, expected: str
) -> None:
    """A request sets the schedule or polling of the trigger, or adds a Schedule Trigger."""
    document = _make_workflow(trigger, "n8n-nodes-base.noOp", {})
    revision = _edit_document(document, request_, workshop)
    nodes = revision.document["nodes"]
    if expected.startswith("/"):
        assert expected.rsplit("/", 1)[1] in nodes[0]["parameters"]
        assert len(nodes) == 2
    else:
        assert nodes[:2] == document["nodes"]
        assert revision.document["connections"][expected] == document["connections"]["Start"]


def test_another_service_does_the_same(workshop: Workshop) -> None:
    """A message of one service becomes a message of another: its text stays, its ids do not."""
    parameters = {
        "select": "channel",
        "channelId": {"__rl": True, "mode": "id", "value": "C0"},
        "text": "={{ $json.text }}",
    }
    document = _make_workflow("manualTrigger", _SLACK, parameters)
    node = _edit_document(document, "replace Slack by Teams", workshop).document["nodes"][1]
    assert node["type"] == "n8n-nodes-base.microsoftTeams"
    assert node["parameters"]["message"] == "={{ $json.text }}"
    assert "C0" not in json.dumps(node)
    assert (node["id"], node["position"]) == ("2", [200, 0])


def test_a_failure_is_reported_by_what_the_workflow_uses(workshop: Workshop) -> None:
    """An error notification starts at an Error Trigger and uses the credentials of its peers."""
    document = _make_workflow("manualTrigger", _SLACK, {"text": "hello"})
    login = {"slackApi": {"id": "7", "name": "Slack"}}
    document["nodes"][1]["credentials"] = login
    nodes = _edit_document(document, "add an error notification", workshop).document["nodes"]
    assert nodes[:2] == document["nodes"]
    assert nodes[2]["type"] == "n8n-nodes-base.errorTrigger"
    assert nodes[3]["type"] == _SLACK
    assert nodes[3]["credentials"] == login


def _edit_document(document: Any, request: str, workshop: Workshop) -> Revision:
    ground = EditContext(N8N, workshop.registry, CompileOptions(purpose="import"))
    drafted = edits_from_text(request, document, EDITOR, ground)
    revision = apply_edits(document, {"changes": list(drafted.changes)}, EDITOR, ground)
    assert revision.document is not None, revision.compilation.diagnostics
    return revision


def _make_workflow(trigger: str, tool: str, parameters: dict[str, Any]) -> dict[str, Any]:
    start: dict[str, Any] = {"id": "1", "name": "Start", "type": f"n8n-nodes-base.{trigger}"}
    version = 2.2 if tool == _SLACK else 1
    second = {"id": "2", "name": "Act", "type": tool, "typeVersion": version}
    return {
        "name": "Two",
        "nodes": [
            {**start, "typeVersion": 1, "position": [0, 0], "parameters": {}},
            {**second, "position": [200, 0], "parameters": parameters},
        ],
        "connections": {"Start": {"main": [[{"node": "Act", "type": "main", "index": 0}]]}},
        "settings": {},
    }
