"""Trials over HTTP and on the command line, against the real n8n."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.trial.execution_result import NodeRun, Report
from grounded_builder.domains.n8n.trial.findings import extent_finding
from runtime.sidecar_server import Sidecar
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import Workflow, hook, node, workflow
from tests.support.sidecar import ask_sidecar
from tests.support.time_bounds import PATIENCE_S

ROUTE = "/v1/n8n/trial"


def document() -> Workflow:
    text = "return $input.all().map((one) => ({ json: { city: one.json.body.city.trim() } }));"
    return workflow(hook(), node("Names", "code", 2, {"jsCode": text}))


def test_a_trial_over_http(sidecar: Sidecar, client: N8nClient) -> None:
    """The answer lists the nodes that ran and the stand-ins; samples are the items of nodes."""
    response = ask_sidecar(sidecar, "POST", ROUTE, {"workflow": document()})
    assert response.status_code == 200, response.text
    answer = response.json()
    assert answer["outcome"] == "passed"
    assert [item["node"] for item in answer["runs"][0]["ran"]] == ["Hook", "Names"]
    body = {"workflow": document(), "samples": {"Hook": [{"body": {}}]}}
    failed = ask_sidecar(sidecar, "POST", ROUTE, body).json()
    assert failed["outcome"] == "failed"
    diagnostics = [
        diagnostic for diagnostic in failed["diagnostics"] if diagnostic["stage"] == "run"
    ]
    assert [(item["code"], item["at"]) for item in diagnostics] == [("N8N601", "/nodes/1")]


def test_invalid_trial_body_is_refused(sidecar: Sidecar) -> None:
    """A body without a draft, or with malformed samples, is refused with a reason."""
    for body in ({}, {"workflow": document(), "samples": {"Hook": "x"}}):
        answer = ask_sidecar(sidecar, "POST", ROUTE, body)
        assert answer.status_code == 400
        assert answer.json()["error"]["message"]


def test_a_trial_on_the_command_line(
    desk: Desk, client: N8nClient, catalog_file: Path, tmp_path: Path
) -> None:
    """``grounded try`` ends with 0 when all passed, and with 1 and the place when not."""
    file, samples = tmp_path / "workflow.json", tmp_path / "samples.json"
    file.write_text(json.dumps(document()))
    samples.write_text(json.dumps({"Hook": [{"body": {}}]}))
    passed = _run_command(desk, str(file), "--catalog", str(catalog_file))
    assert passed.returncode == 0, passed.stderr
    assert ": passed" in passed.stdout
    failed = _run_command(
        desk, str(file), "--catalog", str(catalog_file), "--samples", str(samples)
    )
    assert failed.returncode == 1
    assert "N8N601" in failed.stdout


def test_a_generation_may_be_tried(sidecar: Sidecar, client: N8nClient) -> None:
    """A draft that fails when it is run is asked for again, over HTTP as well."""
    request = "when I click, compute the total of the rows"
    asked_ = ask_sidecar(
        sidecar, "POST", "/v1/n8n/sessions", {"request": request, "trial": True}
    ).json()
    code = {"jsCode": "return [{ json: { total: $input.first().json.rows.length } }];"}
    steps = [
        {"id": "go", "tool": "Manual Trigger"},
        {"id": "sum", "tool": "Code", "action": "Total", "params": code},
    ]
    url = f"/v1/sessions/{asked_['session']}/drafts"
    while asked_["status"] == "draft" and "run" not in asked_["messages"][-1]["content"][:60]:
        asked_ = ask_sidecar(sidecar, "POST", url, {"reply": json.dumps({"steps": steps})}).json()
    assert asked_["status"] == "draft"
    assert "Cannot read properties of undefined" in asked_["messages"][-1]["content"]


def test_a_generation_is_tried_by_default(sidecar: Sidecar) -> None:
    """A draft is rehearsed before it is built, and the answer names what was sent and reached."""
    body = {"request": "When a webhook is called, respond to the webhook", "drafter": "planner"}
    done = ask_sidecar(sidecar, "POST", "/v1/n8n/generate", body).json()
    assert "N8N608" in [finding["code"] for finding in done["diagnostics"]]
    assert "the real nodes ran with invented answers" in done["summary"]
    plain = ask_sidecar(sidecar, "POST", "/v1/n8n/generate", {**body, "trial": False}).json()
    assert "N8N608" not in [finding["code"] for finding in plain["diagnostics"]]


def test_stand_ins_are_named() -> None:
    """A trial with stand-ins names them, and states that their contents are not proven."""
    report = Report("Hook", "success", (NodeRun("Hook", 1, 1), NodeRun("Slack", 1, 1)))
    finding = extent_finding([report], ["Slack"])
    assert finding is not None
    assert '"Slack", whose contents are not proven' in finding.message
    assert extent_finding([], ["Slack"]) is None


def _run_command(desk: Desk, *arguments: str) -> Any:
    env = {
        **os.environ,
        "GROUNDED_STATE": str(desk.settings.state),
        "GROUNDED_N8N_URL": desk.settings.n8n_url or "",
        "GROUNDED_N8N_API_KEY": desk.settings.n8n_api_key or "",
    }
    return subprocess.run(
        [str(Path(sys.executable).parent / "grounded"), "try", *arguments],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
