"""Further runs reach the nodes that a workflow's own run does not, and say what they changed."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import Workflow, node, workflow


def _call(name: str) -> Workflow:
    url = f"https://api.acme.example/v1/{name.lower()}"
    return node(name, "httpRequest", 4.2, {"method": "POST", "url": url})


def _link(*targets: str) -> list[dict[str, Any]]:
    return [{"node": target, "type": "main", "index": 0} for target in targets]


def _urls(rehearsal: Rehearsal, kind: str) -> set[str]:
    return {
        exchange.request.url.rpartition("/")[2]
        for run in rehearsal.runs
        if run.variant.kind == kind
        for step in run.steps
        for exchange in step.exchanges
    }


def test_a_workflow_whose_own_run_reaches_everything_is_run_once(rehearsed: Rehearse) -> None:
    """No further run is made for it, and nothing is called changed."""
    rehearsal = rehearsed(workflow(node("Start", "manualTrigger", 1), _call("Only")))
    assert [run.variant.kind for run in rehearsal.runs] == ["natural"]
    assert rehearsal.reached == {"Start": "natural", "Only": "natural"}
    assert (rehearsal.never_run, rehearsal.bound) == ((), "")


def test_what_follows_a_decision_a_failure_and_a_wait_runs(rehearsed: Rehearse) -> None:
    """A forced output, a failed node and a wait are passed in one rehearsal, each with its name."""
    random = {"leftValue": "={{ Math.random() }}", "rightValue": 2}
    operator = {"type": "number", "operation": "gt"}
    conditions = {"conditions": [{**random, "operator": operator}], "combinator": "and"}
    week = {"resume": "timeInterval", "amount": 7, "unit": "days"}
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Decide", "if", 2.2, {"conditions": conditions}),
        _call("Rare"),
        node("Break", "code", 2, {"jsCode": "throw new Error('out of order')"}),
        node("Pause", "wait", 1.1, week),
        _call("Last"),
        _call("Off"),
        _call("Lost"),
    )
    document["nodes"][6]["disabled"] = True
    document["connections"] = {
        "Start": {"main": [_link("Decide")]},
        "Decide": {"main": [_link("Rare"), _link("Break")]},
        "Break": {"main": [_link("Pause")]},
        "Pause": {"main": [_link("Last")]},
        "Last": {"main": [_link("Off")]},
    }
    rehearsal = rehearsed(document)
    assert _urls(rehearsal, "natural") == set()
    assert _urls(rehearsal, "forced") == {"rare", "last"}
    reasons = " ".join(run.variant.reason for run in rehearsal.runs)
    assert '"Decide" is forced to give its input to output "true"' in reasons
    assert '"Break" is replaced by sample items, since it failed: out of order' in reasons
    assert rehearsal.reached["Rare"] == rehearsal.reached["Last"] == "forced"
    assert {item.node: item.reason for item in rehearsal.never_run} == {
        "Off": "it is disabled",
        "Lost": "no trigger leads to it",
    }


def test_a_forced_decision_in_a_cycle_ends(rehearsed: Rehearse) -> None:
    """A cycle that only a decision ends is passed once where the decision is forced."""
    done = {"leftValue": "={{ $json.status }}", "rightValue": "never", "operator": _EQUALS}
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Stop", "if", 2.2, {"conditions": {"conditions": [done], "combinator": "and"}}),
        node("Again", "wait", 1.1, {"resume": "timeInterval", "amount": 2, "unit": "days"}),
        _call("Last"),
    )
    document["connections"] = {
        "Start": {"main": [_link("Stop")]},
        "Stop": {"main": [_link("Last"), _link("Again")]},
        "Again": {"main": [_link("Stop")]},
    }
    rehearsal = rehearsed(document)
    assert rehearsal.never_run == ()
    assert len(rehearsal.runs) <= 3


def test_other_values_lead_to_other_outputs(rehearsed: Rehearse) -> None:
    """The sample and an invented answer get values with which each decision goes the other way."""
    rules = [
        _when("={{ $json.body.kind }}", "order", "equals"),
        _when("={{ $json.body.kind }}", "ret", "startsWith"),
    ]
    stock = _when("={{ $json.state === 'sold out' }}", "", "true", "boolean")
    document = workflow(
        node("Hook", "webhook", 2, {"path": "shop", "httpMethod": "POST"}),
        node("Route", "switch", 3.2, {"rules": {"values": rules}, "options": {}}),
        _call("Stock"),
        node("Sold out", "if", 2.2, stock),
        _call("Order"),
        _call("Back"),
    )
    document["connections"] = {
        "Hook": {"main": [_link("Route")]},
        "Route": {"main": [_link("Stock"), _link("Back")]},
        "Stock": {"main": [_link("Sold out")]},
        "Sold out": {"main": [_link("Order"), []]},
    }
    rehearsal = rehearsed(document)
    assert rehearsal.never_run == ()
    assert _urls(rehearsal, "sample") == {"stock", "order", "back"}
    assert set(rehearsal.reached.values()) == {"natural", "sample"}
    reasons = [run.variant.reason for run in rehearsal.runs]
    assert any(
        r == 'body.kind of "Hook" is "order"; state of "Stock" is "sold out"' for r in reasons
    )


def test_a_forced_decision_behind_another_is_reached_with_its_values(rehearsed: Rehearse) -> None:
    """The run that forces it has the values with which an earlier run came to it."""
    rules = [_when("={{ $json.body.kind }}", "order", "equals")]
    random = {"leftValue": "={{ Math.random() }}", "rightValue": 2}
    conditions = [{**random, "operator": {"type": "number", "operation": "gt"}}]
    document = workflow(
        node("Hook", "webhook", 2, {"path": "forced", "httpMethod": "POST"}),
        node("Route", "switch", 3.2, {"rules": {"values": rules}, "options": {}}),
        node("Decide", "if", 2.2, {"conditions": {"conditions": conditions, "combinator": "and"}}),
        _call("Rare"),
    )
    rehearsal = rehearsed(document)
    assert rehearsal.never_run == ()
    assert rehearsal.reached["Rare"] == "forced"
    assert 'body.kind of "Hook" is "order"; "Decide" is forced' in rehearsal.runs[-1].variant.reason


def test_an_error_output_runs_where_the_service_fails(rehearsed: Rehearse) -> None:
    """The path for errors runs with the error of a service that answers 500."""
    broken = {**_call("Charge"), "onError": "continueErrorOutput"}
    document = workflow(node("Start", "manualTrigger", 1), broken, _call("Apologize"))
    document["connections"]["Charge"] = {"main": [[], _link("Apologize")]}
    rehearsal = rehearsed(document)
    assert [run.variant.kind for run in rehearsal.runs] == ["natural", "fault"]
    assert rehearsal.reached["Apologize"] == "fault"


def _when(left: str, right: str, operation: str, kind: str = "string") -> dict[str, Any]:
    operator = {"type": kind, "operation": operation, "singleValue": kind == "boolean"}
    condition = {"leftValue": left, "rightValue": right, "operator": operator}
    return {"conditions": {"conditions": [condition], "combinator": "and"}}


_EQUALS = {"type": "string", "operation": "equals"}
