"""Requests that people wrote become workflows in the real n8n, planned or drafted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import requests

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.import_workflow import ImportResult
from grounded_builder.domains.n8n.deploy.readback_diff import differences
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.services.conversation_record import PLANNER, Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.session_lookup import get_session
from grounded_builder.storage import runs
from runtime import paths
from runtime.n8n_server import N8nServer
from tests.support import scripted_drafts
from tests.support.import_desk import Desk
from tests.support.time_bounds import PATIENCE_S
from tests.support.user_requests import INTENTS, pick_titles, read_intents, title

ROWS = read_intents()
SEED = 20_260_801
PICKED = 20
Words = Callable[[Mapping[str, Any]], str]

needs_intents = pytest.mark.skipif(
    not ROWS, reason=f"the collected requests are not beside this checkout ({INTENTS.name})"
)
# From the requirement; the rest is read from the collection, by id.
ATTACHMENTS = "take new Gmail attachments and upload them to Google Drive"
TWEETS = "search tweets and save to airtable"
REPORT = "When a webhook is called, append a row to Google Sheets, then send a Slack message"

PLANNED: dict[str, tuple[str | Words, set[str]]] = {
    "gmail-to-drive": (ATTACHMENTS, {"googleDrive"}),
    "tweets-to-airtable": (TWEETS, {"airtable"}),
    "webhook-to-slack": (REPORT, {"webhook", "googleSheets", "slack"}),
}
DRAFTED: dict[str, tuple[Words, scripted_drafts.Plan, set[str]]] = {
    "b4f2673c7f20": (title, scripted_drafts.FILTERED, {"gmailTrigger", "if", "telegram"}),
    "698b7303bb2d": (title, scripted_drafts.IDEAS, {"webhook", "switch", "googleSheets", "slack"}),
    "660cf66b421c": (
        title,
        scripted_drafts.CHATBOT,
        {"chatTrigger", "agent", "lmChatOpenAi", "memoryBufferWindow", "toolWikipedia"},
    ),
    "3db66cdb9531": (title, scripted_drafts.FORM, {"formTrigger", "s3"}),
}


@pytest.fixture
def talks(desk: Desk) -> Conversations:
    """Conversations against the catalog of the real n8n."""
    return Conversations(desk.store, N8N, desk.registry, tuple)


@pytest.mark.parametrize("key", PLANNED)
def test_a_request_is_planned_and_stands_in_n8n(
    key: str, talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """The planner alone makes a workflow of the named services, and n8n keeps it as it was."""
    words, expected = PLANNED[key]
    if not isinstance(words, str) and key not in ROWS:
        pytest.skip(f"the collected requests are not beside this checkout ({INTENTS.name})")
    text = words if isinstance(words, str) else words(ROWS[key])
    done = talks.open(DraftRequest(text, drafter=PLANNER))
    _print_row(text, done)
    assert done["outcome"] in ("built", "incomplete")
    assert expected <= _kinds(done["artifact"])
    _stands(done, desk, client)


def test_the_request_of_the_readme_is_built(talks: Conversations) -> None:
    """A newcomer without a model gets a complete workflow for it."""
    text = (paths.ROOT / "README.md").read_text("utf-8")
    requests_ = re.findall(r'^\$ grounded generate "(.+)"$', text, re.MULTILINE)
    assert requests_
    for request in requests_:
        assert talks.open(DraftRequest(request, drafter=PLANNER))["outcome"] == "built", request


def test_a_maker_and_its_model_are_one_part(talks: Conversations) -> None:
    """Two names of a model that stand side by side give an agent one model."""
    done = talks.open(
        DraftRequest("Chat agent with Anthropic Claude as the model", drafter=PLANNER)
    )
    tools = [node["type"].partition(".")[2] for node in done["artifact"]["nodes"]]
    assert tools.count("lmChatAnthropic") == 1
    assert not any("left out" in point for point in done["todo"])


def test_a_request_without_clear_operations_is_refused(talks: Conversations) -> None:
    """The answer names each service and the operations that it may mean."""
    done = talks.open(
        DraftRequest("Get data from Hacker News and send to Airtable", drafter=PLANNER)
    )
    assert "Hacker News" in done["summary"]
    unclear = "Get data from Hacker News or from Airtable"
    refused = talks.open(DraftRequest(unclear, drafter=PLANNER))
    assert refused["outcome"] != "built"
    assert "Hacker News" in refused["summary"]


@needs_intents
@pytest.mark.parametrize("key", DRAFTED)
def test_a_draft_stands_in_n8n(
    key: str, talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """A model's draft with loose names becomes a workflow, and n8n keeps it as it was."""
    words, plan, expected = DRAFTED[key]
    done = _draft_request(talks, desk, words(ROWS[key]), plan)
    assert done["outcome"] in ("built", "incomplete")
    assert expected <= _kinds(done["artifact"])
    _stands(done, desk, client)


@needs_intents
def test_a_page_is_served(talks: Conversations, desk: Desk, n8n: N8nServer) -> None:
    """The generated link answers with the page."""
    text = title(ROWS["592317696dc6"])
    done = _draft_request(talks, desk, text, scripted_drafts.PAGE)
    answer = _call_webhook("GET", _live(done, desk), n8n)
    assert answer.text == "<h1>Hello from a page</h1>"
    assert answer.headers["X-Page"] == "static"


@needs_intents
def test_a_condition_decides(talks: Conversations, desk: Desk, n8n: N8nServer) -> None:
    """Both ways of the generated If answer as drafted, with data of an earlier step."""
    text = str(ROWS["999f25f92388"]["description"])
    live = _live(_draft_request(talks, desk, text, scripted_drafts.INTAKE), desk)
    assert _call_webhook("POST", live, n8n, {"city": " Oslo "}).text == "ready OSLO"
    assert _call_webhook("POST", live, n8n, {}).text == "needs_review"


@needs_intents
def test_a_switch_decides(talks: Conversations, desk: Desk, n8n: N8nServer) -> None:
    """Each way of the generated Switch goes where its rule says."""
    text = title(ROWS["58735a232f4a"])
    live = _live(_draft_request(talks, desk, text, scripted_drafts.FUNCTIONS), desk)
    assert _call_webhook("POST", live, n8n, {"name": "cancel"}).text == "cancelled"
    assert _call_webhook("POST", live, n8n, {"name": "book"}).text == "booked"


@needs_intents
def test_a_loop_ends(talks: Conversations, desk: Desk, n8n: N8nServer) -> None:
    """The generated loop runs its body once an item, and continues when all are done."""
    text = title(ROWS["51df71c6351a"])
    live = _live(_draft_request(talks, desk, text, scripted_drafts.LOOP), desk)
    answer = _call_webhook("POST", live, n8n, {"rows": [1, 2, 21]})
    assert answer.json() == [{"twice": 2}, {"twice": 4}, {"twice": 42}]


@needs_intents
def test_generated_request_returns_fetched_answer(
    talks: Conversations, desk: Desk, n8n: N8nServer
) -> None:
    """The generated HTTP Request node calls the address, and the webhook returns its answer."""
    text = str(ROWS["eac8ce0a6579"]["description"])
    plan = scripted_drafts.fetch(f"{n8n.url}/healthz")
    live = _live(_draft_request(talks, desk, text, plan), desk)
    assert _call_webhook("GET", live, n8n).json() == {"status": "ok"}


def test_a_wrong_draft_is_mended_on_the_way(
    talks: Conversations, desk: Desk, client: N8nClient
) -> None:
    """An invented tool comes back to the model with the installed ones; the next draft stands."""
    first = talks.open(DraftRequest(ATTACHMENTS))
    wrong = scripted_drafts.steps(
        {"id": "mail", "tool": "Gmail Trigger", "params": {}},
        {"id": "save", "tool": "gdriveAttachmentSaverPro", "params": {}},
    )
    again = _answer_question(talks, desk, first, wrong)
    assert again["status"] == "draft"
    assert "gdriveAttachmentSaverPro" in again["messages"][-1]["content"]
    assert "googleDrive" in json.dumps(again["messages"])
    right = scripted_drafts.steps(
        {"id": "mail", "tool": "Gmail Trigger", "params": {}},
        {
            "id": "save",
            "tool": "Google Drive",
            "params": {"resource": "file", "operation": "upload", "name": "x"},
        },
    )
    done = _answer_question(talks, desk, again, right)
    while done["status"] == "draft":
        done = _answer_question(talks, desk, done, right)
    assert (done["outcome"], done["reason"]) == ("incomplete", "repaired")
    _stands(done, desk, client)
    run = runs.get_run(desk.store.engine, done["session"])
    assert run is not None
    assert run.drafts[0]["verdict"] == "wrong"


@needs_intents
def test_requests_picked_by_a_seed(talks: Conversations, desk: Desk, client: N8nClient) -> None:
    """Every request has an outcome, and n8n stores the results unchanged."""
    table = [
        "| request | outcome | made of | of the author's tools | to do |",
        "|---|---|---|---|---|",
    ]
    counts = {"built": 0, "incomplete": 0, "refused": 0}
    for item in pick_titles(ROWS, PICKED, SEED):
        done = talks.open(DraftRequest(item.text, drafter=PLANNER))
        counts[done["outcome"]] += 1
        made: set[str] = set()
        if done["outcome"] == "refused":
            assert done["summary"]
        else:
            _stands(done, desk, client)
            made = {node["type"] for node in done["artifact"]["nodes"]} - {_NOTE}
        shown = ", ".join(sorted(tool.rpartition(".")[2] for tool in made))
        shared = f"{len(made & item.tools)} of {len(item.tools)}"
        outcome = done["outcome"] if made else f"refused: {done['summary'][:160]}"
        table.append(f"| {item.text} | {outcome} | {shown} | {shared} | {len(done['todo'])} |")
    print(f"\nseed {SEED}: {counts}\n" + "\n".join(table))
    assert sum(counts.values()) == PICKED


_NOTE = "n8n-nodes-base.stickyNote"


def _draft_request(
    talks: Conversations, desk: Desk, text: str, plan: scripted_drafts.Plan
) -> Answer:
    """Say the same plan until the conversation ends, as a model does that knows no better."""
    answer = talks.open(DraftRequest(text))
    while answer["status"] == "draft":
        answer = _answer_question(talks, desk, answer, plan)
    _print_row(text, answer)
    return answer


def _answer_question(
    talks: Conversations, desk: Desk, asked: Answer, plan: scripted_drafts.Plan
) -> Answer:
    session, _ = get_session(desk.store, asked["session"])
    return talks.submit_reply(session, reply=f"Here it is:\n```json\n{json.dumps(plan)}\n```")


def _stands(done: Answer, desk: Desk, client: N8nClient) -> None:
    """Import what was built with its own receipt; what n8n has then is what was built."""
    result = desk.artifact(done["artifact"], done["receipt"], key=done["session"])
    assert result.outcome == "imported", [diagnostic.message for diagnostic in result.diagnostics]
    assert not differences(done["artifact"], client.get(result.workflow_id or ""))


def _live(done: Answer, desk: Desk) -> Answer:
    """Publish what was built; it must need nothing more."""
    assert done["outcome"] == "built", (done["summary"], done["diagnostics"])
    result: ImportResult = desk.artifact(
        done["artifact"], done["receipt"], key=done["session"], publish=True
    )
    assert (result.outcome, result.published, result.live) == ("imported", True, True), [
        diagnostic.message for diagnostic in result.diagnostics
    ]
    return done


def _call_webhook(method: str, done: Answer, n8n: N8nServer, body: Any = None) -> requests.Response:
    hook = next(node for node in done["artifact"]["nodes"] if node["type"].endswith(".webhook"))
    url = f"{n8n.url}/webhook/{hook['parameters']['path']}"
    answer = requests.request(method, url, json=body, timeout=PATIENCE_S)
    assert answer.status_code == 200, answer.text
    return answer


def _kinds(artifact: Mapping[str, Any]) -> set[str]:
    return {node["type"].rpartition(".")[2] for node in artifact["nodes"]}


def _print_row(text: str, done: Answer) -> None:
    kinds = ", ".join(sorted(_kinds(done["artifact"]))) if done["artifact"] else "-"
    print(f"| {text} | {done['outcome']} | {kinds} | {len(done['todo'])} |")
