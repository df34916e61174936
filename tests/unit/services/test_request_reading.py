"""A request is read once, and the result is stored with its conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler import named_services
from grounded_builder.compiler.named_services import NamedServices
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.services import conversation_record
from grounded_builder.services.conversation_record import (
    Answer,
    DraftRequest,
    from_state,
    with_reading,
)
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.session_lookup import get_session
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage.store import Store
from tests.support import catalogs
from tests.support.registries import acme_registry

REQUEST = "When the Acme hook is called, send a message, but without using Acme Mail"
PIGEON = {"steps": [{"id": "mail", "tool": "acme-nodes.carrierPigeon", "params": {}}]}
MAIL = {"steps": [{"id": "mail", "tool": catalogs.MAIL, "params": {}}]}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store."""
    store = open_domains_store(Settings(state=tmp_path, database_url=sqlite_url(tmp_path)))
    yield store
    store.close()


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose services are read, by the reader itself, while a conversation continues."""
    read = named_services.find_services
    texts: list[str] = []

    def record_request(request: str, registry: Registry) -> NamedServices:
        texts.append(request)
        return read(request, registry)

    monkeypatch.setattr(conversation_record, "find_services", record_request)
    return texts


def submit(talks: Conversations, store: Store, answer: Answer, reply: object | None) -> Answer:
    session, _ = get_session(store, answer["session"])
    if reply is None:
        return talks.submit_reply(session, failed="it is silent")
    return talks.submit_reply(session, reply=json.dumps(reply))


def test_a_conversation_reads_its_request_once(store: Store, readings: list[str]) -> None:
    """Prompt, replies and the planner use the same reading of the request."""
    talks = Conversations(store, N8N, acme_registry(), tuple)
    answer = talks.open(DraftRequest(REQUEST))
    assert readings == [REQUEST]
    assert submit(talks, store, answer, PIGEON)["status"] == "draft"
    assert submit(talks, store, answer, None)["status"] == "done"
    assert readings == [REQUEST]
    talks.open(DraftRequest(REQUEST, drafter="planner"))
    assert readings == [REQUEST, REQUEST]


def test_forbidden_tool_stays_forbidden_in_later_replies(store: Store) -> None:
    """A tool that the stored reading forbids is denied to later replies."""
    talks = Conversations(store, N8N, acme_registry(), tuple)
    answer = talks.open(DraftRequest(REQUEST))
    session, _ = get_session(store, answer["session"])
    order, _ = from_state(session)
    assert order.reading is not None
    assert [service.tools for service in order.reading.named.unwanted] == [(catalogs.MAIL,)]
    again = submit(talks, store, answer, MAIL)
    assert "not-allowed" in again["messages"][-1]["content"]
    assert catalogs.MAIL not in json.dumps(again["response_schema"])


def test_another_catalog_is_another_reading() -> None:
    """Names stand for tools of a catalog: for another one the request is read again."""
    registry = acme_registry()
    order = with_reading(DraftRequest(REQUEST), registry)
    assert with_reading(order, registry).reading is order.reading
    assert order.reading is not None
    stale = replace(order, reading=replace(order.reading, catalog="another"))
    assert with_reading(stale, registry).reading == order.reading
    assert with_reading(stale, registry).reading is not order.reading
