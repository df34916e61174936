"""Conversations over real HTTP, with a drafter that says what a test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import httpx
import pytest

from grounded_builder.settings import ModelSetting
from tests.api.conftest import Serve, Served
from tests.support import catalogs

REQUEST = "When the Acme hook is called, send a message by Acme Mail"
SEND = {"resource": "message", "operation": "send", "to": "a@b.example"}
RIGHT = {
    "goal": "greet",
    "steps": [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "mail", "tool": catalogs.MAIL, "params": SEND},
    ],
}
INVENTED = {
    "steps": [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "mail", "tool": "acme-nodes.carrierPigeon", "params": {"to": "a@b.example"}},
    ]
}

Say = Callable[[int], str]


def drafted_by(url: str, key: str | None = None) -> dict[str, Any]:
    """The settings by which one endpoint drafts, and the planner where it fails."""
    return {"models": {"model": ModelSetting(url, "m", key)}, "drafters": ("model", "planner")}


def opened(served: Served, **more: Any) -> dict[str, Any]:
    answer = served.client.post("/v1/n8n/sessions", json={"request": REQUEST, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def told(served: Served, session: str, **body: Any) -> httpx.Response:
    return served.client.post(f"/v1/sessions/{session}/drafts", json=body)


def replied(served: Served, session: str, reply: Any) -> dict[str, Any]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    answer = told(served, session, reply=text)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def talked(served: Served, say: Say, **more: Any) -> dict[str, Any]:
    """Talk to the end, as a node does; a conversation that does not end fails the test."""
    answer = opened(served, **more)
    for turn in count(1):
        if answer["status"] == "done":
            return answer
        assert turn <= 20, "the conversation does not end"
        answer = replied(served, answer["session"], say(turn))
    raise AssertionError


def test_the_first_answer_is_a_prompt_and_a_schema(served: Served) -> None:
    """A conversation begins with messages that show installed tools, and a schema of them."""
    answer = opened(served)
    assert answer["status"] == "draft"
    assert answer["round"] == 1
    assert [one["role"] for one in answer["messages"]] == ["system", "user"]
    assert catalogs.MAIL in answer["messages"][0]["content"]
    assert REQUEST in answer["messages"][1]["content"]
    assert catalogs.MAIL in json.dumps(answer["response_schema"])


def test_wrong_then_right(served: Served) -> None:
    """A wrong draft comes back with all that is wrong with it; the right one after it is built."""
    session = opened(served)["session"]
    again = replied(served, session, INVENTED)
    assert (again["status"], again["round"]) == ("draft", 2)
    feedback = again["messages"][-1]["content"]
    assert "acme-nodes.carrierPigeon" in feedback
    assert "unknown-tool" in feedback
    assert again["messages"][-2] == {"role": "assistant", "content": json.dumps(INVENTED)}
    done = replied(served, session, RIGHT)
    assert (done["status"], done["outcome"]) == ("done", "incomplete")
    assert (done["reason"], done["rounds"]) == ("repaired", 2)
    assert [one["type"] for one in done["artifact"]["nodes"]][:2] == [catalogs.HOOK, catalogs.MAIL]
    assert "Acme Mail" in done["summary"]
    assert any(catalogs.MAIL_LOGIN in point for point in done["todo"])
    assert done["receipt"]["verdict"] == "incomplete"


def test_a_right_draft_is_done_at_once(served: Served) -> None:
    """A draft in prose and fences that is right ends the conversation in one round."""
    fenced = f"Sure! Here you go:\n```json\n{json.dumps(RIGHT)}\n```\nHave fun."
    done = talked(served, lambda _: fenced)
    assert done["outcome"] == "incomplete"
    assert done["rounds"] == 1


HOPELESS: dict[str, Say] = {
    "prose": lambda _: "I would be glad to help! First open your mail program and then type.",
    "nothing": lambda _: "",
    "blanks": lambda _: " \n\t ",
    "another language": lambda _: "Natürlich, hier ist der Ablauf: zuerst der Haken, dann die Post",
    "other prose every time": lambda turn: f"Attempt {turn}: have you tried turning it off and on?",
    "HTML": lambda _: "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>",
    "1 MB": lambda _: "la " * 350_000,
    "1 MB of JSON": lambda turn: json.dumps({"steps": [{"tool": "x" * 1_000_000, "id": turn}]}),
    "an invented tool": lambda _: json.dumps(INVENTED),
    "a new invention each time": lambda turn: json.dumps(
        {"steps": [{"id": "a", "tool": f"acme-nodes.invention{turn}", "params": {}}]}
    ),
    "NUL and half an emoji": lambda turn: f"\x00 \ud83d {turn}",
    "a list of numbers": lambda _: "[1, 2, 3]",
    "a number": lambda _: "42",
    "steps that are none": lambda _: '{"steps": [1, null, "mail", {}]}',
}


@pytest.mark.parametrize("kind", HOPELESS)
def test_a_hopeless_model_ends_in_bounded_rounds(served: Served, kind: str) -> None:
    """Whatever a model says for ever, the conversation ends refused, with a reason, unbuilt."""
    answer = opened(served)
    rounds = 0
    while answer["status"] == "draft":
        rounds += 1
        body = json.dumps({"reply": HOPELESS[kind](rounds)})
        path = f"/v1/sessions/{answer['session']}/drafts"
        answered = served.client.post(path, content=body)
        assert answered.status_code == 200, answered.text[:500]
        answer = answered.json()
    assert rounds <= 4
    assert answer["outcome"] == "refused"
    assert answer["reason"] in ("stalled", "exhausted")
    assert (answer["artifact"], answer["receipt"]) == (None, None)
    assert answer["rounds"] == rounds
    assert answer["diagnostics"]
    run = served.client.get(f"/v1/runs/{answer['session']}").json()
    assert len(run["drafts"]) == rounds


def test_rounds_are_the_caller_s(served: Served) -> None:
    """A conversation of one round ends after one draft."""
    done = talked(served, lambda _: json.dumps(INVENTED), rounds=1)
    assert (done["reason"], done["rounds"]) == ("exhausted", 1)


def test_a_reason_why_not_is_an_outcome(served: Served) -> None:
    """A model may say that it cannot be done; nothing is built, and its reason is told."""
    done = talked(served, lambda _: '{"cannot": "there is no teleporter"}')
    assert (done["outcome"], done["artifact"]) == ("refused", None)
    assert "there is no teleporter" in done["summary"]


def test_a_failed_model_leaves_it_to_the_planner(served: Served) -> None:
    """When the model fails, the planner drafts, and the summary says why."""
    session = opened(served)["session"]
    done = told(served, session, failed="429 quota exceeded").json()
    assert done["status"] == "done"
    assert done["outcome"] in ("built", "incomplete")
    assert catalogs.MAIL in {one["type"] for one in done["artifact"]["nodes"]}
    assert "429 quota exceeded" in done["summary"]
    drafts = served.client.get(f"/v1/runs/{session}").json()["drafts"]
    assert [one["failed"] for one in drafts] == ["429 quota exceeded", None]
    assert [one["drafter"] for one in drafts] == ["external", "planner"]


def test_the_planner_needs_no_model(served: Served) -> None:
    """With the planner the first answer is the outcome."""
    done = opened(served, drafter="planner")
    assert done["status"] == "done"
    assert [one["type"] for one in done["artifact"]["nodes"]][:2] == [catalogs.HOOK, catalogs.MAIL]


def test_what_was_built_is_signed_for_import(served: Served) -> None:
    """The receipt of an outcome is the one that build gives for the same artifact."""
    done = talked(served, lambda _: json.dumps(RIGHT))
    body = {"workflow": done["artifact"], "correct": False}
    built = served.client.post("/v1/n8n/build", json=body).json()
    for name in ("catalog", "policy", "instance", "key"):
        assert done["receipt"][name] == built["receipt"][name]


def test_a_forbidden_tool_is_not_built(served: Served) -> None:
    """What a constraint forbids is refused by name, under whatever name it was forbidden."""
    rules = {"forbid": ["Acme Mail"], "tone": "kind"}
    first = opened(served, constraints=rules)
    assert '"tone": "kind"' in first["messages"][1]["content"]
    again = replied(served, first["session"], RIGHT)
    assert again["status"] == "draft"
    assert "policy denies acme-nodes.mail" in again["messages"][-1]["content"]


def test_cancelled_is_an_outcome(served: Served) -> None:
    """A cancelled conversation ends refused; it takes no draft, and cancels twice alike."""
    session = opened(served)["session"]
    done = served.client.delete(f"/v1/sessions/{session}").json()
    assert (done["status"], done["outcome"], done["reason"]) == ("done", "refused", "cancelled")
    assert served.client.delete(f"/v1/sessions/{session}").json() == done
    late = told(served, session, reply=json.dumps(RIGHT))
    assert (late.status_code, late.json()["error"]["code"]) == (409, "session-ended")
    assert served.client.get(f"/v1/runs/{session}").json()["reason"] == "cancelled"


@pytest.mark.parametrize("session", ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "x" * 300, "%00", "' OR 1=1"])
def test_an_unknown_session_is_named(served: Served, session: str) -> None:
    """A session that never was is 404 with what to do."""
    for call in ("GET", "DELETE"):
        answer = served.client.request(call, f"/v1/sessions/{session}")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-session")
    answer = told(served, session, reply="x")
    assert answer.json()["error"]["help"] == "begin another one"


def test_a_session_expires(serve: Serve) -> None:
    """A conversation that nobody came back to is gone; its run stays readable."""
    served = serve(session_seconds=-1)
    served.load()
    session = opened(served)["session"]
    answer = told(served, session, reply=json.dumps(RIGHT))
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-session")
    run = served.client.get(f"/v1/runs/{session}").json()
    assert (run["outcome"], run["request"]) == (None, REQUEST)


def test_a_draft_sent_twice_at_once_counts_once(served: Served) -> None:
    """Of drafts for one round that arrive together one takes effect; the others are told."""
    session = opened(served)["session"]
    with ThreadPoolExecutor(6) as pool:
        text = json.dumps(INVENTED)
        answers = list(pool.map(lambda _: told(served, session, reply=text), range(6)))
    taken = [one for one in answers if one.status_code == 200]
    others = [one.json()["error"]["code"] for one in answers if one.status_code != 200]
    assert set(others) <= {"draft-overtaken", "session-ended"}
    drafts = served.client.get(f"/v1/runs/{session}").json()["drafts"]
    assert len(drafts) == len(taken)
    assert [one["number"] for one in drafts] == list(range(1, len(taken) + 1))


def test_two_conversations_do_not_meet(served: Served) -> None:
    """Two conversations at once keep their own requests, drafts and artifacts."""
    first, second = opened(served)["session"], opened(served, request="Acme hook only")["session"]
    assert replied(served, first, INVENTED)["round"] == 2
    alone = {"steps": [RIGHT["steps"][0]]}
    done = replied(served, second, alone)
    assert (done["outcome"], done["rounds"]) == ("built", 1)
    assert replied(served, first, RIGHT)["rounds"] == 2
    ids = {
        node["id"]
        for session in (first, second)
        for node in served.client.get(f"/v1/sessions/{session}").json()["artifact"]["nodes"]
    }
    assert len(ids) >= 3


def test_another_replica_goes_on(serve: Serve) -> None:
    """A conversation begun on one server is continued on another over the same database."""
    one = serve()
    one.load()
    other = serve()
    session = opened(one)["session"]
    assert replied(other, session, INVENTED)["round"] == 2
    assert replied(one, session, RIGHT)["rounds"] == 2


def test_a_run_is_readable(served: Served) -> None:
    """Prompt, reply, resolutions, diagnostics and artifact of a conversation are kept."""
    session = opened(served)["session"]
    replied(served, session, INVENTED)
    done = replied(served, session, RIGHT)
    run = served.client.get(f"/v1/runs/{session}").json()
    assert run["outcome"] == "incomplete"
    assert run["result"] == done
    assert catalogs.MAIL in run["shown"]
    wrong, right = run["drafts"]
    assert [one["role"] for one in wrong["messages"]] == ["system", "user"]
    assert wrong["reply"] == json.dumps(INVENTED)
    assert wrong["parsed"]["steps"][1]["tool"] == "acme-nodes.carrierPigeon"
    assert wrong["verdict"] == "wrong"
    assert [one["name"] for one in wrong["resolutions"]] == ["acme-nodes.carrierPigeon"]
    assert "unknown-tool" in {one["name"] for one in wrong["diagnostics"]}
    assert len(right["messages"]) == 4
    assert [one["tool_id"] for one in right["resolved"]["nodes"]] == [catalogs.HOOK, catalogs.MAIL]
    newest = served.client.get("/v1/runs", params={"limit": 1}).json()["runs"]
    assert newest[0]["id"] == session
    before = served.client.get("/v1/runs", params={"before": session}).json()["runs"]
    assert session not in {one["id"] for one in before}


def test_an_unknown_run_is_named(served: Served) -> None:
    """A run that never was is 404."""
    answer = served.client.get("/v1/runs/none")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown-run")


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({}, "/request"),
        ({"request": ""}, "/request"),
        ({"request": " \n"}, "/request"),
        ({"request": "x" * 20_001}, "/request"),
        ({"request": 7}, "/request"),
        ({"request": "x", "rounds": 0}, "/rounds"),
        ({"request": "x", "rounds": 21}, "/rounds"),
        ({"request": "x", "drafter": "oracle"}, "/drafter"),
        ({"request": "x", "constraints": "none"}, "/constraints"),
        ({"request": "x", "wish": 1}, "/wish"),
    ],
)
def test_a_bad_opening_is_named(served: Served, body: dict[str, Any], at: str) -> None:
    """A wrong field of a request is refused with its place."""
    answer = served.client.post("/v1/n8n/sessions", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["at"] == at


def test_a_draft_is_a_reply_or_a_failure(served: Served) -> None:
    """Neither or both of reply and failed is refused, and costs no round."""
    session = opened(served)["session"]
    for body in ({}, {"reply": "x", "failed": "y"}, {"reply": 7}, {"answer": "x"}):
        assert told(served, session, **body).status_code == 400
    assert served.client.get(f"/v1/sessions/{session}").json()["round"] == 1


def test_without_a_catalog_nothing_begins(empty: Served) -> None:
    """A sidecar without a catalog says how to make one."""
    answer = empty.client.post("/v1/n8n/sessions", json={"request": REQUEST})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no-catalog")


def test_generate_is_one_call(served: Served) -> None:
    """Without a model, generate answers with what the planner made; the id is echoed."""
    body = {"request": REQUEST, "id": {"row": 1}}
    done = served.client.post("/v1/n8n/generate", json=body).json()
    assert done["id"] == {"row": 1}
    assert done["outcome"] in ("built", "incomplete")
    run = served.client.get(f"/v1/runs/{done['session']}").json()
    assert run["drafter"] == "planner"


@pytest.fixture
def scripted(serve: Serve, httpserver: Any) -> Callable[..., Served]:
    """A sidecar with a model behind an OpenAI-compatible endpoint that says what is scripted."""

    def start(*contents: str) -> Served:
        for content in contents:
            answer = {"choices": [{"message": {"role": "assistant", "content": content}}]}
            httpserver.expect_ordered_request("/v1/chat/completions").respond_with_json(answer)
        served = serve(**drafted_by(httpserver.url_for("/v1"), "hush"))
        served.load()
        return served

    return start


def test_generate_by_an_endpoint(scripted: Callable[..., Served], httpserver: Any) -> None:
    """The configured model is asked again with its faults; the key stays out of the record."""
    served = scripted(json.dumps(INVENTED), json.dumps(RIGHT))
    done = served.client.post("/v1/n8n/generate", json={"request": REQUEST}).json()
    assert (done["outcome"], done["reason"], done["rounds"]) == ("incomplete", "repaired", 2)
    second = httpserver.log[1][0].get_json()
    assert "acme-nodes.carrierPigeon" in second["messages"][-1]["content"]
    assert httpserver.log[0][0].headers["Authorization"] == "Bearer hush"
    run = served.client.get(f"/v1/runs/{done['session']}")
    assert run.json()["drafter"].startswith("m at http://")
    assert "hush" not in run.text


def test_generate_without_an_answering_endpoint(serve: Serve) -> None:
    """A model that cannot be reached leaves it to the planner, and is named in the summary."""
    served = serve(**drafted_by("http://127.0.0.1:9"))
    served.load()
    done = served.client.post("/v1/n8n/generate", json={"request": REQUEST}).json()
    assert done["outcome"] in ("built", "incomplete")
    assert "no connection to the model endpoint" in done["summary"]


@pytest.mark.parametrize("scope", ["validate", "import"])
def test_drafting_is_a_scope(served: Served, scope: str) -> None:
    """Conversations and their record are open to tokens that may draft, and to no others."""
    made = served.client.post("/v1/tokens", json={"label": scope, "scopes": [scope]}).json()
    paths = (
        ("POST", "/v1/n8n/sessions"),
        ("POST", "/v1/n8n/generate"),
        ("POST", "/v1/sessions/x/drafts"),
        ("GET", "/v1/sessions/x"),
        ("DELETE", "/v1/sessions/x"),
        ("GET", "/v1/runs"),
        ("GET", "/v1/runs/x"),
    )
    with served.bare(headers={"Authorization": f"Bearer {made['token']}"}) as client:
        for method, path in paths:
            assert client.request(method, path).status_code == 403, path
    served.client.delete(f"/v1/tokens/{made['id']}")
