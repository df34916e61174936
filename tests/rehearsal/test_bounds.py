"""A workflow without an end is ended, and the result says by which limit."""

from __future__ import annotations

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
