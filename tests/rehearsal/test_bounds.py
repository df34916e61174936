"""A workflow without an end is ended, and the result says by which limit."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.rehearsal import rehearse
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow

_CALL = {"url": "https://api.acme.example/v1/next", "options": {"timeout": 5000}}


def test_an_endless_loop_of_requests_ends(rehearsed: Rehearse) -> None:
    """A node that calls itself is ended after 2,000 requests or the time of a run."""
    document = workflow(node("Start", "manualTrigger", 1), node("Call", "httpRequest", 4.2, _CALL))
    document["connections"]["Call"] = {"main": [[{"node": "Call", "type": "main", "index": 0}]]}
    (run,) = rehearsed(document).natural_runs
    assert run.execution.status != "success"
    sent = sum(len(step.exchanges) for step in run.steps) + len(run.loose)
    assert sent <= 2_000
    again = workflow(node("Start", "manualTrigger", 1), node("End", "noOp", 1))
    assert [run.execution.status for run in rehearsed(again).runs] == ["success"]


def test_no_run_begins_after_the_limit(
    rehearsed: Rehearse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first trigger starts the workflow; the second one is reported with the limit."""
    monkeypatch.setattr(rehearse, "TOTAL_S", 0)
    nodes = (node("First", "manualTrigger", 1), node("Second", "scheduleTrigger", 1.2))
    document = workflow(*nodes, edges={})
    rehearsal = rehearsed(document)
    assert [run.trigger for run in rehearsal.runs] == ["First"]
    assert rehearsal.bound == "0 s"
    assert [(item.node, item.reason) for item in rehearsal.never_run] == [
        ("Second", "no run begins after 0 s")
    ]


def test_code_without_an_end_is_ended(rehearsed: Rehearse) -> None:
    """n8n's limit of a task ends it before the run ends, so that the result names the node."""
    code = {"jsCode": "while (true) {}"}
    document = workflow(node("Start", "manualTrigger", 1), node("Turn", "code", 2, code))
    (run,) = rehearsed(document).natural_runs
    assert run.execution.failure is not None
    assert run.execution.failure.node == "Turn"
    assert "timed out" in run.execution.failure.message


def test_a_run_with_too_many_items_is_not_read(rehearsed: Rehearse) -> None:
    """What n8n notes of a run is read up to 50 MB; the result says so, and n8n goes on."""
    code = {"jsCode": "return [{json: {text: 'x'.repeat(6e7)}}];"}
    document = workflow(node("Start", "manualTrigger", 1), node("Make", "code", 2, code))
    (run,) = rehearsed(document).natural_runs
    assert "more than 50 MB" in run.refusal
    again = workflow(node("Start", "manualTrigger", 1), node("End", "noOp", 1))
    assert [run.execution.status for run in rehearsed(again).runs] == ["success"]
