"""Examples for tuning, made of runs that were recorded by the loop itself."""

from __future__ import annotations

import json
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.redaction.redact import MARK, redact
from grounded_builder.services.conversation_record import DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.session_lookup import get_session
from grounded_builder.services.training_pairs import Chat, pairs
from grounded_builder.services.training_redaction import secrets_in, secrets_in_text
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import runs
from grounded_builder.storage.store import Store
from tests.support import catalogs
from tests.support.registries import acme_registry

START = {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}}
SEND = {"resource": "message", "operation": "send", "to": "a@b.example"}
WRONG = {"steps": [START, {"id": "mail", "tool": "acme-nodes.carrierPigeon", "params": SEND}]}
RIGHT = {"steps": [START, {"id": "mail", "tool": catalogs.MAIL, "params": SEND}]}


def record_conversation(folder: Path, request: str, *replies: Any) -> list[Chat]:
    """The examples of one conversation in which these replies were given, the last for ever."""
    settings = Settings(state=folder, database_url=sqlite_url(folder))
    store: Store = open_domains_store(settings)
    talks = Conversations(store, N8N, acme_registry(), tuple)
    answer = talks.open(DraftRequest(request, rounds=4, drafter="m"))
    for reply in chain(replies, repeat(replies[-1])):
        if answer["status"] == "done":
            break
        session, _ = get_session(store, answer["session"])
        answer = talks.submit_reply(
            session, reply=reply if isinstance(reply, str) else json.dumps(reply)
        )
    run = runs.get_run(store.engine, answer["session"])
    store.close()
    assert run is not None
    return list(pairs(run))


def test_a_draft_that_compiled_is_an_example(tmp_path: Path) -> None:
    """The prompt as it was sent, then the plan: what a model is to answer at once."""
    chat = record_conversation(tmp_path, "Greet by Acme Mail", RIGHT)[0]
    assert [message["role"] for message in chat["messages"]] == ["system", "user", "assistant"]
    assert "Greet by Acme Mail" in chat["messages"][1]["content"]
    tools = [step["tool"] for step in json.loads(chat["messages"][-1]["content"])["steps"]]
    assert tools == [catalogs.HOOK, catalogs.MAIL]


def test_a_repair_is_an_example_too(tmp_path: Path) -> None:
    """The request with the plan, and the wrong draft with its findings and the repaired one."""
    whole, repair = record_conversation(
        tmp_path, "Greet by Acme Mail", f"Sure!\n{json.dumps(WRONG)}", RIGHT
    )
    roles = [message["role"] for message in repair["messages"]]
    assert roles == ["system", "user", "assistant", "user", "assistant"]
    assert "carrierPigeon" in repair["messages"][2]["content"]
    assert "carrierPigeon" in repair["messages"][3]["content"]
    assert repair["messages"][-1] == whole["messages"][-1]
    assert "carrierPigeon" not in json.dumps(whole)


def test_run_without_model_draft_gives_no_pair(tmp_path: Path) -> None:
    """A refused request, and one that the planner drafted, give no training pair."""
    assert record_conversation(tmp_path, "Greet by Acme Mail", '{"cannot": "no"}') == []
    assert record_conversation(tmp_path, "Greet by Acme Mail", WRONG) == []


@pytest.mark.parametrize(
    "place",
    [
        {"to": "https://me:hush-hush@host.example/"},
        {"to": "https://host.example/?api_key=hush-hush"},
        {"subject": "Bearer hush-hush-hush"},
        {"password": "hush-hush"},
        {"headers": [{"name": "Authorization", "value": "hush-hush"}]},
        {"headers": {"X-Api-Key": "hush-hush"}},
        {"text": "-----BEGIN PRIVATE KEY-----\nhush-hush\n-----END PRIVATE KEY-----"},
        {"text": "the key: hush-hush"},
        {"text": "sk-hush-hush-hush"},
        {"text": "a1b2c3hush4d5e6f7g8"},
    ],
)
def test_training_pairs_contain_no_secret(tmp_path: Path, place: dict[str, Any]) -> None:
    """A secret in a value is in no example, wherever it stands and whoever repeats it."""
    mail = {"id": "mail", "tool": catalogs.MAIL, "params": {**SEND, **place}}
    wrong = {"steps": [START, {**mail, "tool": "acme-nodes.carrierPigeon"}]}
    request = f"Greet by Acme Mail with {json.dumps(place)}"
    made = record_conversation(tmp_path, request, wrong, {"steps": [START, mail]})
    assert made
    assert "hush" not in json.dumps(made)
    assert MARK in json.dumps(made)


def test_training_pairs_contain_no_credential(tmp_path: Path) -> None:
    """Neither the credential of a node nor its name is passed on."""
    draft = catalogs.workflow()
    draft["nodes"][1]["credentials"] = {catalogs.MAIL_LOGIN: {"id": "hush-1", "name": "hush-2"}}
    made = record_conversation(tmp_path, "Greet by Acme Mail", draft)
    assert made
    assert "hush" not in json.dumps(made)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "@n8n/n8n-nodes-langchain.lmChatOpenAi", "typeVersion": 1.2},
        {"model": "claude-3-5-sonnet-20241022", "maxTokens": 300, "tokens": "300 tokens"},
        {"nodeCredentialType": "googleSheetsOAuth2Api", "authentication": "oAuth2"},
        {"Authorization": "=Bearer {{ $json.token }}", "url": "https://host.example/v1/items"},
        {"text": "Take the token from the previous step and the key of each row"},
        {"at": "2026-11-22T07:55:17Z", "cron": "0 30 7 * * 1-5", "id": "message_text_in_german"},
    ],
)
def test_training_pair_keeps_other_texts(value: Any) -> None:
    """Names of tools, models and types and references to secrets stay in training pairs."""
    assert list(secrets_in(value)) == []


def test_the_longest_goes_first() -> None:
    """A secret that holds another leaves no rest behind."""
    assert redact("a hush-hush b", ["hush", "hush-hush"]) == f"a {MARK} b"
    assert list(secrets_in_text("password: hush1, the token is 'hush2'")) == ["hush1", "hush2"]
