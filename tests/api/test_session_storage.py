"""Stored conversations: found by any server, recorded, expired."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.api.conftest import Serve, Served
from tests.api.conversation_client import (
    INVENTED,
    REQUEST,
    RIGHT,
    open_conversation,
    send_reply,
    submit_draft,
)
from tests.support import catalogs


def test_cancelled_is_an_outcome(shared_server: Served) -> None:
    """A cancelled conversation ends refused; it takes no draft, and cancels twice alike."""
    session = open_conversation(shared_server)["session"]
    done = shared_server.client.delete(f"/v1/sessions/{session}").json()
    assert (done["status"], done["outcome"], done["reason"]) == ("done", "refused", "cancelled")
    assert shared_server.client.delete(f"/v1/sessions/{session}").json() == done
    late = submit_draft(shared_server, session, reply=json.dumps(RIGHT))
    assert (late.status_code, late.json()["error"]["code"]) == (409, "session-ended")
    assert shared_server.client.get(f"/v1/runs/{session}").json()["reason"] == "cancelled"


@pytest.mark.parametrize("session", ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "x" * 300, "%00", "' OR 1=1"])
def test_an_unknown_session_is_named(shared_server: Served, session: str) -> None:
    """A session that never was is 404 with what to do."""
    for call in ("GET", "DELETE"):
        answer = shared_server.client.request(call, f"/v1/sessions/{session}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-session")
    answer = submit_draft(shared_server, session, reply="x")
    assert answer.json()["error"]["help"] == "begin a new one"


def test_a_session_expires(serve: Serve) -> None:
    """A conversation that no one came back to is gone; its run stays readable."""
    served = serve(session_seconds=-1)
    served.load()
    session = open_conversation(served)["session"]
    answer = submit_draft(served, session, reply=json.dumps(RIGHT))
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-session")
    run = served.client.get(f"/v1/runs/{session}").json()
    assert (run["outcome"], run["request"]) == (None, REQUEST)


def test_a_draft_sent_twice_at_once_counts_once(shared_server: Served) -> None:
    """Of several simultaneous drafts for one round one takes effect, and the others are refused."""
    session = open_conversation(shared_server)["session"]
    with ThreadPoolExecutor(6) as pool:
        text = json.dumps(INVENTED)
        answers = list(
            pool.map(lambda _: submit_draft(shared_server, session, reply=text), range(6))
        )
    taken = [answer for answer in answers if answer.status_code == 200]
    others = [answer.json()["error"]["code"] for answer in answers if answer.status_code != 200]
    assert set(others) <= {"stale-draft", "session-ended"}
    drafts = shared_server.client.get(f"/v1/runs/{session}").json()["drafts"]
    assert len(drafts) == len(taken)
    assert [draft["number"] for draft in drafts] == list(range(1, len(taken) + 1))


def test_two_conversations_do_not_meet(shared_server: Served) -> None:
    """Two conversations at once keep their own requests, drafts and artifacts."""
    first, second = (
        open_conversation(shared_server)["session"],
        open_conversation(shared_server, request="Acme hook only")["session"],
    )
    assert send_reply(shared_server, first, INVENTED)["round"] == 2
    alone = {"steps": [RIGHT["steps"][0]]}
    done = send_reply(shared_server, second, alone)
    assert (done["outcome"], done["rounds"]) == ("built", 1)
    assert send_reply(shared_server, first, RIGHT)["rounds"] == 2
    ids = {
        node["id"]
        for session in (first, second)
        for node in shared_server.client.get(f"/v1/sessions/{session}").json()["artifact"]["nodes"]
    }
    assert len(ids) >= 3


def test_another_replica_goes_on(serve: Serve) -> None:
    """A conversation begun on one server is continued on another over the same database."""
    served = serve()
    served.load()
    other = serve()
    session = open_conversation(served)["session"]
    assert send_reply(other, session, INVENTED)["round"] == 2
    assert send_reply(served, session, RIGHT)["rounds"] == 2


def test_a_run_is_readable(shared_server: Served) -> None:
    """Prompt, reply, resolutions, diagnostics and artifact of a conversation are kept."""
    session = open_conversation(shared_server)["session"]
    send_reply(shared_server, session, INVENTED)
    done = send_reply(shared_server, session, RIGHT)
    run = shared_server.client.get(f"/v1/runs/{session}").json()
    assert run["outcome"] == "incomplete"
    assert run["result"] == done
    assert catalogs.MAIL in run["shown"]
    wrong, right = run["drafts"]
    assert [message["role"] for message in wrong["messages"]] == ["system", "user"]
    assert wrong["reply"] == json.dumps(INVENTED)
    assert wrong["parsed"]["steps"][1]["tool"] == "acme-nodes.carrierPigeon"
    assert wrong["verdict"] == "wrong"
    assert [resolution["name"] for resolution in wrong["resolutions"]] == [
        "acme-nodes.carrierPigeon"
    ]
    assert "unknown-tool" in {diagnostic["name"] for diagnostic in wrong["diagnostics"]}
    assert len(right["messages"]) == 4
    assert [node["tool_id"] for node in right["resolved"]["nodes"]] == [
        catalogs.HOOK,
        catalogs.MAIL,
    ]
    newest = shared_server.client.get("/v1/runs", params={"limit": 1}).json()["runs"]
    assert newest[0]["id"] == session
    before = shared_server.client.get("/v1/runs", params={"before": session}).json()["runs"]
    assert session not in {item["id"] for item in before}


def test_an_unknown_run_is_named(shared_server: Served) -> None:
    """A run that never was is 404."""
    answer = shared_server.client.get("/v1/runs/none")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-run")


@pytest.mark.parametrize("scope", ["validate", "import"])
def test_drafting_is_a_scope(shared_server: Served, scope: str) -> None:
    """Conversations and their record are open to tokens that may draft, and to no others."""
    made = shared_server.client.post("/v1/tokens", json={"label": scope, "scopes": [scope]}).json()
    paths = (
        ("POST", "/v1/n8n/sessions"),
        ("POST", "/v1/n8n/generate"),
        ("POST", "/v1/sessions/x/drafts"),
        ("GET", "/v1/sessions/x"),
        ("DELETE", "/v1/sessions/x"),
        ("GET", "/v1/runs"),
        ("GET", "/v1/runs/x"),
    )
    with shared_server.bare(headers={"Authorization": f"Bearer {made['token']}"}) as client:
        for method, path in paths:
            assert client.request(method, path).status_code == 403, path
    shared_server.client.delete(f"/v1/tokens/{made['id']}")
