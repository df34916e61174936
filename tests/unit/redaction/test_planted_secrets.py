"""Secrets of many services and languages are found at any place."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.redaction.own_secrets import hide_secret_forms, list_secret_forms
from grounded_builder.redaction.redact import MARK, without_secrets, without_secrets_in_json
from grounded_builder.services.conversation_record import DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.edit_sessions import EditSetup, start_edit_session
from grounded_builder.services.session_lookup import get_session
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage.name_stats import NameStatsStore
from tests.support import catalogs
from tests.support.planted_secrets import Planted, list_planted_secrets
from tests.support.registries import acme_registry

_LEAST_FOUND = 0.95
_PLANTED = list_planted_secrets()


def _is_found(case: Planted) -> bool:
    return case.secret not in json.dumps(without_secrets(case.value), ensure_ascii=False)


@pytest.mark.parametrize("half", [0, 1])
def test_nearly_all_planted_secrets_are_taken_out(half: int) -> None:
    """Of each hundred planted secrets at most five remain."""
    part = _PLANTED[half::2]
    missed = [item.kind for item in part if not _is_found(item)]
    assert len(part) == 100
    assert len(missed) <= (1 - _LEAST_FOUND) * len(part), missed


def test_taking_out_twice_changes_nothing_more() -> None:
    """A second redaction changes nothing, and the mark is no secret."""
    for item in _PLANTED:
        clean = without_secrets(item.value)
        assert without_secrets(clean) == clean
        text = without_secrets_in_json(json.dumps(item.value))
        assert without_secrets_in_json(text) == text


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    ["password: " * 20_000, "sk-" * 60_000, "a://" * 50_000, "key=" * 50_000, "bearer " * 30_000],
)
def test_redaction_takes_linear_time(text: str) -> None:
    """The time grows with the length of a text, whatever stands in it."""
    began = time.process_time()
    without_secrets(text)
    assert time.process_time() - began < 10


def _store(folder: Path) -> Any:
    return open_domains_store(Settings(state=folder, database_url=sqlite_url(folder)))


def _bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_no_file_of_the_state_has_what_a_drafter_replied(tmp_path: Path) -> None:
    """Replies, prompts, names and results are kept without the secrets that are in them."""
    secrets = [item.secret for item in _PLANTED if _is_found(item)][:30]
    store = _store(tmp_path)
    talks = Conversations(store, N8N, acme_registry(), tuple)
    answer = talks.open(DraftRequest("On a webhook send by Acme Mail"))
    texts = [item.value for item in _PLANTED if _is_found(item)][:30]
    steps = [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "mail", "tool": catalogs.MAIL, "params": {"subject": json.dumps(texts)}},
        {"id": "more", "tool": f"Acme {texts[0]}", "params": {}},
    ]
    for _ in range(2):
        session, _ = get_session(store, answer["session"])
        answer = talks.submit_reply(session, reply=json.dumps({"steps": steps}))
    names = [NameOccurrence("unknown", text) for text in texts if isinstance(text, str)]
    NameStatsStore(store.engine, "n8n").add(names)
    store.close()
    bytes_ = _bytes_in(tmp_path)
    assert [secret for secret in secrets if secret.encode() in bytes_] == []


def test_a_workflow_that_is_changed_keeps_its_secrets_and_shows_none(tmp_path: Path) -> None:
    """Between two replies the workflow is sealed: it comes back to the byte, and no file has it."""
    secret = next(item.secret for item in _PLANTED if item.kind == "github")
    store = _store(tmp_path)
    document = catalogs.workflow()
    document["nodes"][1]["parameters"]["subject"] = f"with {secret}"
    context = EditSetup(store, N8N, acme_registry(), tuple, editor=EDITOR)
    answer = start_edit_session(DraftRequest("rename the mail to Greeting"), document, context)
    session, _ = get_session(store, answer["session"])
    assert session.state["edit"] == document
    store.close()
    assert secret.encode() not in _bytes_in(tmp_path)


@pytest.mark.parametrize("key", ["n8n-key/with+signs==", "short7", 'quo"te\\key'])
def test_own_keys_are_hidden_in_every_form(key: str) -> None:
    """Keys that another service echoes are hidden, also encoded or inside a longer text."""
    forms = list_secret_forms(key)
    inside = base64.b64encode(f"user:{key}:x".encode()).decode()
    for echo in (
        key,
        quote(key, safe=""),
        json.dumps(key),
        base64.b64encode(key.encode()).decode(),
    ):
        content = hide_secret_forms(f"error: {echo} was refused".encode(), forms)
        assert MARK.encode() in content
        assert key.encode() not in content
    assert hide_secret_forms(b"nothing of it", forms) == b"nothing of it"
    if len(key) > 12:
        assert MARK.encode() in hide_secret_forms(inside.encode(), forms)
