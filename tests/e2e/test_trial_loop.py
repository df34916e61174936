"""Trials within a conversation: failures go back to the drafter."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.session_lookup import get_session
from grounded_builder.services.trial_run import trial_runner
from grounded_builder.storage import runs
from runtime.n8n_server import N8nServer
from tests.support import program, scripted_drafts
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import list_workflows

REQUEST = "when I click, compute the total of the rows"


@pytest.fixture
def talks(desk: Desk) -> Conversations:
    """Conversations that may run what they build in the real n8n."""
    trying = trial_runner(desk.store, desk.registry, tuple)
    return Conversations(desk.store, N8N, desk.registry, tuple, trying=trying)


def plan(code: str) -> scripted_drafts.Plan:
    """A click, and code that computes."""
    return scripted_drafts.steps(
        {"id": "go", "tool": "Manual Trigger", "action": "Click"},
        {"id": "sum", "tool": "Code", "action": "Total", "params": {"jsCode": code}},
    )


FAILING = plan("return [{ json: { total: $input.first().json.rows.length } }];")
SOUND = plan("return [{ json: { total: ($input.first().json.rows || []).length } }];")


def reply_with(talks: Conversations, desk: Desk, asked: Answer, draft: Any) -> Answer:
    session, _ = get_session(desk.store, asked["session"])
    return talks.submit_reply(session, reply=json.dumps(draft))


def test_a_draft_that_fails_is_sent_back(
    talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """n8n's words and the node go to the drafter; the next draft passes and is built."""
    asked = talks.open(DraftRequest(REQUEST, trial=True))
    again = reply_with(talks, desk, asked, FAILING)
    while again["status"] == "draft" and "fails when" not in again["messages"][-1]["content"]:
        again = reply_with(talks, desk, again, FAILING)
    assert again["status"] == "draft", again["summary"]
    value = again["messages"][-1]["content"]
    assert "N8N601" in value or "Cannot read properties of undefined" in value
    done = reply_with(talks, desk, again, SOUND)
    while done["status"] == "draft":
        done = reply_with(talks, desk, done, SOUND)
    assert (done["outcome"], done["reason"]) == ("built", "repaired")
    run = [item["code"] for item in done["diagnostics"] if item["code"].startswith("N8N6")]
    assert run == ["N8N606"]
    assert "a copy of the workflow ran 2 nodes" in done["summary"]
    record = runs.get_run(desk.store.engine, done["session"])
    assert record is not None
    assert "N8N601" in json.dumps(record.drafts)
    assert [item["name"] for item in list_workflows(client) if "trial" in item["name"]] == []


def test_a_draft_that_keeps_failing_is_not_built(
    talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """The same failure twice ends the conversation; what fails is left to do, with the artifact."""
    answer = talks.open(DraftRequest(REQUEST, trial=True))
    while answer["status"] == "draft":
        answer = reply_with(talks, desk, answer, FAILING)
    assert answer["outcome"] == "incomplete"
    assert "Cannot read properties of undefined" in answer["todo"][-1]
    assert "N8N601" in [diagnostic["code"] for diagnostic in answer["diagnostics"]]
    assert answer["artifact"] is not None


def test_draft_is_built_without_trial_if_off(
    talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """Without a requested trial the same draft is built, and n8n is not called."""
    answer = talks.open(DraftRequest(REQUEST))
    while answer["status"] == "draft":
        answer = reply_with(talks, desk, answer, FAILING)
    assert answer["outcome"] == "built"


def test_a_plan_without_a_model_is_run_too(
    talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """A plan of the planner is tried once, and a trial without findings changes nothing."""
    words = "When a webhook is called, respond to the webhook"
    plain = talks.open(DraftRequest(words, drafter=PLANNER))
    tried = talks.open(DraftRequest(words, drafter=PLANNER, trial=True))
    assert tried["outcome"] == plain["outcome"]
    assert tried["artifact"] is not None


def test_without_n8n_a_draft_is_built_untried(desk: Desk) -> None:
    """Without an n8n the answer states that nothing was tried."""
    desk.store.settings = replace(desk.settings, n8n_url=None)
    trying = trial_runner(desk.store, desk.registry, tuple)
    talks = Conversations(desk.store, N8N, desk.registry, tuple, trying=trying)
    answer = talks.open(DraftRequest(REQUEST, trial=True))
    while answer["status"] == "draft":
        answer = reply_with(talks, desk, answer, SOUND)
    assert answer["outcome"] == "built"
    assert "N8N604" in [diagnostic["code"] for diagnostic in answer["diagnostics"]]


def test_the_command_line_runs_what_it_generates(
    n8n: N8nServer, catalog_file: Path, client: N8nClient, tmp_path: Path
) -> None:
    """Each of several requests is compiled, run and answered in one program."""
    words = "When a webhook is called, respond to the webhook"
    lines = [json.dumps({"id": number, "request": words}) for number in range(2)]
    made = program.run(
        tmp_path,
        *("generate", "-", "--planner", "--trial", "--format", "jsonl"),
        *("--catalog", str(catalog_file)),
        given="\n".join(lines).encode(),
        env={"GROUNDED_N8N_URL": n8n.url, "GROUNDED_N8N_API_KEY": n8n.api_key},
    )
    answers = [json.loads(line) for line in made.stdout.splitlines()]
    assert [answer["id"] for answer in answers] == [0, 1], made.stderr.decode()
    for answer in answers:
        assert answer["artifact"] is not None
        assert "N8N604" not in [finding["code"] for finding in answer["diagnostics"]]
    assert [item["name"] for item in list_workflows(client) if "trial" in item["name"]] == []
