"""Trials in a real n8n: passing and failing workflows, and no call outside."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.trial import findings, sandbox_copy
from grounded_builder.domains.n8n.trial import run as conduct
from tests.support.approvals import list_required_approvals
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import (
    hook,
    make_connection,
    node,
    workflow,
)
from tests.support.time_bounds import until
from tests.support.trials import code, fields, go, list_codes_and_nodes, run_trial_cleanly


def test_a_sound_workflow_passes(desk: Desk, client: N8nClient) -> None:
    """Every node that ran is listed with its items, and every stand-in with the reason."""
    document = workflow(
        hook(),
        fields("Names", city="={{ $json.body.city.toUpperCase() }}"),
        node(
            "Tell",
            "slack",
            2.3,
            {
                "select": "channel",
                "channelId": {"__rl": True, "mode": "name", "value": "#general"},
                "text": "=Hello {{ $json.city }}",
            },
        ),
        code("Count", "return [{ json: { seen: $input.all().length } }];"),
    )
    result = run_trial_cleanly(desk, document)
    assert result.outcome == "passed", list_codes_and_nodes(result)
    (run,) = result.reports
    assert [(ran.node, ran.items) for ran in run.ran] == [
        ("Hook", 1),
        ("Names", 1),
        ("Tell", 1),
        ("Count", 1),
    ]
    assert {item["node"]: item["sample"] for item in result.stood_in} == {
        "Hook": "schema",
        "Tell": "schema",
    }


def test_code_that_fails_is_reported_at_its_node(desk: Desk, client: N8nClient) -> None:
    """A Code node that fails on what it certainly meets is wrong, with n8n's words and the line."""
    document = workflow(go(), code("Sum", "const all = $input.first().json;\nreturn all.rows.x;"))
    result = run_trial_cleanly(desk, document)
    assert (result.outcome, list_codes_and_nodes(result)) == ("failed", [("N8N601", "Sum")])
    finding = next(diagnostic for diagnostic in result.diagnostics if diagnostic.code == "N8N601")
    assert finding.at == ("nodes", 1)
    assert "[line 2]" in finding.message


def test_an_expression_that_fails_is_reported_at_its_node(desk: Desk, client: N8nClient) -> None:
    """An expression that reads a node which has not run fails, also in a node that is not run."""
    choice = node("Choice", "filter", 2.2, _never())
    entries, other = fields("One", a="1"), fields("Other", a="={{ $('One').first().json.a }}")
    edges = {
        **make_connection("Go", "main", "Choice"),
        **make_connection("Choice", "main", "One"),
    }
    edges["Go"]["main"][0].append({"node": "Other", "type": "main", "index": 0})
    assert list_codes_and_nodes(
        run_trial_cleanly(desk, workflow(go(), choice, entries, other, edges=edges))
    ) == [("N8N601", "Other")]
    call = node(
        "Other", "httpRequest", 4.2, {"url": "=https://x.test/{{ $('One').first().json.a }}"}
    )
    result = run_trial_cleanly(desk, workflow(go(), choice, entries, call, edges=edges))
    assert list_codes_and_nodes(result) == [("N8N601", "Other")]
    assert "One" in result.never_run


def test_a_failure_on_made_up_items_is_advice(desk: Desk, client: N8nClient) -> None:
    """A failure on generated items is advice, and one on given items is an error."""
    cut = "one.json.body.text.split(`|`)[1].trim()"
    text = f"return $input.all().map((one) => ({{ json: {{ n: {cut} }} }}));"
    document = workflow(hook(), code("Read", text))
    assert list_codes_and_nodes(run_trial_cleanly(desk, document)) == [("N8N602", "Read")]
    assert list_codes_and_nodes(
        run_trial_cleanly(desk, document, Hook=[{"body": {"text": "a"}}])
    ) == [("N8N601", "Read")]
    assert run_trial_cleanly(desk, document, Hook=[{"body": {"text": "a|b"}}]).outcome == "passed"


def test_pinned_items_are_met(desk: Desk, client: N8nClient) -> None:
    """Items pinned in the workflow are what its nodes give."""
    document = workflow(
        hook(),
        code("Sum", "return $input.all().map((one) => ({ json: { x: one.json.a.b.c } }));"),
        pinData={"Hook": [{"json": {"a": {"b": {"c": 1}}}}, {"json": {"a": {}}}]},
    )
    result = run_trial_cleanly(desk, document)
    assert list_codes_and_nodes(result) == [("N8N601", "Sum")]


def test_code_that_was_never_written_fails_as_in_n8n(desk: Desk, client: N8nClient) -> None:
    """A Code node without code of its own fails, for n8n has none for it."""
    assert list_codes_and_nodes(
        run_trial_cleanly(desk, workflow(go(), node("Code", "code", 2)))
    ) == [("N8N601", "Code")]


def test_trial_calls_nothing_outside(desk: Desk, client: N8nClient, httpserver: HTTPServer) -> None:
    """No node of a trial calls another system, but the same workflow does in a real run."""
    httpserver.expect_request("/").respond_with_data("<rss></rss>")
    url = httpserver.url_for("/")
    calling = f"await this.helpers.httpRequest({{ url: '{url}' }}); return [{{ json: {{}} }}];"
    hidden = f"const h = globalThis['hel' + 'pers']; await h.httpRequest({{ url: '{url}' }});"
    entries = {"onError": "continueRegularOutput"}
    start = hook()
    document = workflow(
        start,
        node("Call", "httpRequest", 4.2, {"url": url, "options": {}}, **entries),
        code("Script", calling, **entries),
        code("Hidden", f"{hidden} return [{{ json: {{}} }}];", **entries),
        node("Feed", "rssFeedRead", 1.1, {"url": url, "options": {}}, **entries),
    )
    assert run_trial_cleanly(desk, document).outcome == "passed"
    assert httpserver.log == []
    approvals = list_required_approvals(desk.draft(document).diagnostics)
    result = desk.draft(document, publish=True, approvals=approvals)
    assert result.live, [diagnostic.message for diagnostic in result.diagnostics]
    client.begin(start["parameters"]["path"])
    until(lambda: len(httpserver.log) >= 4, "the four nodes do not call")
    assert len(httpserver.log) == 4


def test_a_stop_is_no_failure(desk: Desk, client: N8nClient) -> None:
    """A workflow that stops itself with an error does what it says."""
    stop = node("Stop", "stopAndError", 1, {"errorMessage": "enough"})
    assert list_codes_and_nodes(run_trial_cleanly(desk, workflow(go(), stop))) == []


def test_every_trigger_is_run(desk: Desk, client: N8nClient) -> None:
    """Each trigger starts its own run, and an unreachable node is reported."""
    tick = node("Tick", "scheduleTrigger", 1.2, {"rule": {"interval": [{"field": "hours"}]}})
    edges = {**make_connection("Tick", "main", "A"), **make_connection("Hook", "main", "B")}
    document = workflow(hook(), tick, fields("A", a="1"), fields("B", b="1"), edges=edges)
    result = run_trial_cleanly(desk, document)
    assert result.outcome == "passed"
    assert {report.start: [ran.node for ran in report.ran] for report in result.reports} == {
        "Hook": ["Hook", "B"],
        "Tick": ["Tick", "A"],
    }


def test_a_response_is_run(desk: Desk, client: N8nClient) -> None:
    """Respond to Webhook runs for real: a body that is no JSON fails there."""
    start = hook()
    start["parameters"]["responseMode"] = "responseNode"
    answer = node(
        "Answer", "respondToWebhook", 1.1, {"respondWith": "json", "responseBody": "={{ 'no' }}"}
    )
    assert list_codes_and_nodes(run_trial_cleanly(desk, workflow(start, answer))) == [
        ("N8N602", "Answer")
    ]


def test_a_wrong_workflow_is_not_sent(desk: Desk, client: N8nClient) -> None:
    """Errors of the compiler are reported, and n8n is not called."""
    result = run_trial_cleanly(desk, workflow(go(), node("Set", "n8n-nodes-base.zzqxv", 1)))
    assert result.outcome == "refused"
    assert result.reports == ()


def test_a_workflow_without_a_start_is_not_run(desk: Desk, client: N8nClient) -> None:
    """A workflow without a trigger is not run, and this is reported."""
    result = run_trial_cleanly(desk, workflow({**go(), "disabled": True}, fields("A", a="1")))
    assert (result.outcome, list_codes_and_nodes(result)) == ("untried", [("N8N604", None)])


def test_an_endless_loop_is_stopped(
    desk: Desk, client: N8nClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that does not end is ended, and said to be."""
    for module in (sandbox_copy, conduct, findings):
        monkeypatch.setattr(module, "RUN_S", 2)
    pause = node("Pause", "code", 2, {"jsCode": "await new Promise(r => setTimeout(r, 50));\n"})
    pause["parameters"]["jsCode"] += "return $input.all();"
    edges = {**make_connection("Go", "main", "Pause"), **make_connection("Pause", "main", "Pause")}
    result = run_trial_cleanly(desk, workflow(go(), pause, edges=edges))
    assert (result.outcome, list_codes_and_nodes(result)) == ("unfinished", [("N8N603", "Go")])


def test_a_loop_that_goes_on_is_cut(desk: Desk, client: N8nClient) -> None:
    """A loop that would continue for ever on its samples keeps n8n busy for some rounds only."""
    call = node("Ask", "httpRequest", 4.2, {"url": "https://x.test", "options": {}})
    edges = {
        **make_connection("Go", "main", "Ask"),
        **make_connection("Ask", "main", "Done"),
        **make_connection("Done", "main", "Ask", output=1),
    }
    done = node("Done", "if", 2.2, _never())
    result = run_trial_cleanly(desk, workflow(go(), call, done, edges=edges))
    assert (result.outcome, list_codes_and_nodes(result)) == ("unfinished", [("N8N603", "Ask")])
    batches = node("Loop", "splitInBatches", 3, {"options": {}})
    edges = {
        **make_connection("Go", "main", "Loop"),
        **make_connection("Loop", "main", "Each", output=1),
        **make_connection("Each", "main", "Loop"),
    }
    edges["Loop"]["main"][0] = [{"node": "End", "type": "main", "index": 0}]
    document = workflow(go(), batches, fields("Each", a="1"), fields("End", a="1"), edges=edges)
    result = run_trial_cleanly(desk, document, Go=[{"n": n} for n in range(50)])
    assert result.outcome == "passed"
    assert {ran.node: ran.items for ran in result.reports[0].ran}["End"] == 50


def _never() -> dict[str, Any]:
    operator = {"type": "number", "operation": "equals"}
    condition = {"id": "c", "leftValue": 1, "rightValue": 2, "operator": operator}
    options = {"version": 2, "leftValue": "", "caseSensitive": True, "typeValidation": "strict"}
    conditions = {"options": options, "conditions": [condition], "combinator": "and"}
    return {"conditions": conditions, "options": {}}
