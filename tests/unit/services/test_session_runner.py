"""Sessions of every kind are run in the same way: drafting, changing a document, routing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.routing.request import RouteInput, RouteRequest
from grounded_builder.services.adhoc_catalogs import registry_for_tool_list
from grounded_builder.services.conversation_record import Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.edit_sessions import (
    EditSetup,
    edit,
    start_edit_session,
    submit_edit_reply,
)
from grounded_builder.services.generate import generate
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.session_lookup import ConversationError, get_session
from grounded_builder.services.tool_routes import ToolRoutingSessions
from grounded_builder.settings import ModelSetting, Settings, sqlite_url
from grounded_builder.storage import runs
from grounded_builder.storage.store import Store
from tests.support import catalogs
from tests.support.registries import acme_registry
from tests.support.tool_lists import make_web_tools

DRAFT = "When the Acme hook is called, send a message by Acme Mail"
CHANGE = "rename the mail to Greeting"
ROUTE = "search the web for pandas"
# Nothing listens there.
SILENT = "http://127.0.0.1:1/v1"


@dataclass(frozen=True, slots=True)
class Kind:
    """How a session of one kind begins, takes a failure or a reply, and runs by itself."""

    key: str
    begin: Callable[[Store], Answer]
    fail: Callable[[Store, str, Compiling], Answer]
    reply: Callable[[Store, str, Compiling], Answer]
    run: Callable[[Store], Answer]


def _talks(store: Store, compiling: Compiling = compile_here) -> Conversations:
    return Conversations(store, N8N, acme_registry(), tuple, compiling)


def _fail_draft(store: Store, session_id: str, compiling: Compiling) -> Answer:
    session, _ = get_session(store, session_id)
    return _talks(store, compiling).submit_reply(session, failed="it is silent")


def _reply_draft(store: Store, session_id: str, compiling: Compiling) -> Answer:
    session, _ = get_session(store, session_id)
    return _talks(store, compiling).submit_reply(session, reply="{}")


def _setup(store: Store, compiling: Compiling = compile_here) -> EditSetup:
    return EditSetup(store, N8N, acme_registry(), tuple, compiling, editor=EDITOR)


def _fail_edit(store: Store, session_id: str, compiling: Compiling) -> Answer:
    session, _ = get_session(store, session_id)
    return submit_edit_reply(session, _setup(store, compiling), failed="it is silent")


def _reply_edit(store: Store, session_id: str, compiling: Compiling) -> Answer:
    session, _ = get_session(store, session_id)
    return submit_edit_reply(session, _setup(store, compiling), reply="{}")


def _routes(store: Store, compiling: Compiling = compile_here) -> ToolRoutingSessions:
    def no_catalog(_: str) -> Any:
        return registry_for_tool_list(make_web_tools(), TOOLS, store)

    return ToolRoutingSessions(store, TOOLS, no_catalog, compiling)


KINDS: Mapping[str, Kind] = {
    "draft": Kind(
        "session",
        lambda store: _talks(store).open(DraftRequest(DRAFT)),
        _fail_draft,
        _reply_draft,
        lambda store: generate(DRAFT, {}, None, "auto", _talks(store), store),
    ),
    "edit": Kind(
        "session",
        lambda store: start_edit_session(DraftRequest(CHANGE), catalogs.workflow(), _setup(store)),
        _fail_edit,
        _reply_edit,
        lambda store: edit(DraftRequest(CHANGE), catalogs.workflow(), _setup(store)),
    ),
    "route": Kind(
        "route",
        lambda store: _routes(store).open(RouteRequest(ROUTE)),
        lambda store, route, compiling: _routes(store, compiling).take(
            route, RouteInput(failed="it is silent")
        ),
        lambda store, route, compiling: _routes(store, compiling).take(
            route, RouteInput(reply="{}")
        ),
        lambda store: _routes(store).open(RouteRequest(ROUTE, drafter="auto")),
    ),
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty store whose two models do not answer."""
    settings = Settings(
        state=tmp_path,
        database_url=sqlite_url(tmp_path),
        drafters=("first", "second", "planner"),
        models={name: ModelSetting(SILENT, name) for name in ("first", "second")},
    )
    store = open_domains_store(settings)
    yield store
    store.close()


@pytest.mark.parametrize("name", KINDS)
def test_of_two_replies_to_one_step_one_is_taken(store: Store, name: str) -> None:
    """A reply that is compiled while another one is taken is refused, and leaves no draft."""
    kind = KINDS[name]
    session_id = kind.begin(store)[kind.key]
    rivals: list[Answer] = []

    def overtake(work: Callable[[], Any], size: int = 0) -> Any:
        if not rivals:
            rivals.append(kind.fail(store, session_id, compile_here))
        return compile_here(work, size)

    with pytest.raises(ConversationError, match="another reply for this step") as raised:
        kind.fail(store, session_id, overtake)
    assert raised.value.kind == "stale-draft"
    assert "answers with the current state" in raised.value.help
    run = runs.get_run(store.engine, session_id)
    assert run is not None
    assert [draft["failed"] for draft in run.drafts].count("it is silent") == 1


@pytest.mark.parametrize("name", KINDS)
def test_a_reply_beyond_the_bounds_has_failed(store: Store, name: str) -> None:
    """A reply beyond a compile limit is recorded as a failure, and the fallback continues."""
    kind = KINDS[name]
    session_id = kind.begin(store)[kind.key]
    sizes: list[int] = []

    def raise_limit(work: Callable[[], Any], size: int = 0) -> Any:
        sizes.append(size)
        if len(sizes) == 1:
            raise CompileLimitError(
                "deadline-exceeded", "the draft was not compiled in time", "shorten it"
            )
        return compile_here(work, size)

    answer = kind.reply(store, session_id, raise_limit)
    assert answer["status"] in ("call", "done")
    run = runs.get_run(store.engine, session_id)
    assert run is not None
    failure = "its reply was given up: the draft was not compiled in time"
    assert run.drafts[0]["failed"] == failure


@pytest.mark.parametrize("name", KINDS)
def test_every_drafter_that_fails_is_recorded(store: Store, name: str) -> None:
    """The record names each drafter of the chain that gave no reply, in order, and why."""
    kind = KINDS[name]
    answer = kind.run(store)
    assert answer["status"] != "ask"
    run = runs.get_run(store.engine, answer[kind.key])
    assert run is not None
    failures = [(draft["drafter"], draft["failed"]) for draft in run.drafts if draft["failed"]]
    assert [drafter for drafter, _ in failures] == [f"first at {SILENT}", f"second at {SILENT}"]
    assert all(why for _, why in failures)
    assert [draft["number"] for draft in run.drafts] == list(range(1, len(run.drafts) + 1))


@pytest.mark.parametrize("name", KINDS)
def test_a_session_is_found_where_it_belongs(store: Store, name: str) -> None:
    """A route is no conversation, and a conversation no route."""
    kind = KINDS[name]
    session_id = kind.begin(store)[kind.key]
    find = get_session if kind.key == "route" else _find_route
    with pytest.raises(ConversationError, match="there is no") as raised:
        find(store, session_id)
    assert raised.value.kind == "unknown-session"


def _find_route(store: Store, session_id: str) -> object:
    return _routes(store).session(session_id)
