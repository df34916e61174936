"""Names that people decide about, and single tools, over real HTTP and a real SQLite file."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from tests.api.conftest import Serve, Served
from tests.support import catalogs
from tests.support.time_bounds import until

PIGEON = "carrier pigeon"
SEND = {"resource": "message", "operation": "send", "to": "a@b.example"}


@pytest.fixture
def loaded_server(empty: Served) -> Served:
    assert empty.load().status_code == 200
    return empty


PUT = "acme-nodes.telegraph"


def put_line(**facts: Any) -> dict[str, Any]:
    return catalogs.mail() | {"id": PUT, "name": "Acme Telegraph", "aliases": []} | facts


def show_tool(served: Served) -> httpx.Response:
    return served.client.get(f"/v1/n8n/tools/{PUT}")


def decide_alias(served: Served, **body: Any) -> httpx.Response:
    return served.client.post("/v1/aliases", json=body)


def accept_alias(served: Served, name: str = PIGEON, tool: str = catalogs.MAIL) -> dict[str, Any]:
    answer = decide_alias(served, name=name, action="accept", tool=tool)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def resolve_name(served: Served, text: str) -> dict[str, Any]:
    answer = served.client.post("/v1/n8n/resolve", json={"text": text})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def list_aliases(served: Served, **params: Any) -> dict[str, Any]:
    answer = served.client.get("/v1/aliases", params=params)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def code(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def plan(tool: str) -> str:
    steps = [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "post", "tool": tool, "params": SEND},
    ]
    return json.dumps({"steps": steps})


def corrected_run(served: Served, wrong: str) -> str:
    """A conversation in which a drafter invents a name and then writes the right tool."""
    order = {"request": "Send a message by Acme Mail when the hook is called"}
    session = served.client.post("/v1/n8n/sessions", json=order).json()["session"]
    for tool in (wrong, catalogs.MAIL):
        path = f"/v1/sessions/{session}/drafts"
        answer = served.client.post(path, json={"reply": plan(tool)})
        assert answer.status_code == 200, answer.text
    assert answer.json()["outcome"] == "incomplete"
    return str(session)


def test_an_accepted_alias_is_resolved_and_outlives_the_catalog(loaded_server: Served) -> None:
    """An alias holds in every spelling, in drafts too, whatever catalog is loaded afterwards."""
    assert resolve_name(loaded_server, PIGEON)["status"] == "unknown"
    made = accept_alias(loaded_server)
    assert made["taken"]
    assert made["decision"]["by"] == "created at first start"
    assert [change["after"] for change in made["changes"]] == [catalogs.MAIL]
    for _ in range(2):
        for text in (PIGEON, "CarrierPigeon", "CARRIER-PIGEON", "carrier_pigeon"):
            answer = resolve_name(loaded_server, text)
            assert (answer["tool"], answer["method"]) == (catalogs.MAIL, "alias")
        draft = {"draft": plan("Carrier Pigeon")}
        built = loaded_server.client.post("/v1/n8n/build", json=draft).json()
        assert built["verdict"] != "wrong", built["diagnostics"]
        assert loaded_server.load(catalogs.acme_bytes(versions={"n8n": "9.9.9"})).status_code == 200


def test_alias_of_missing_tool_is_dormant(loaded_server: Served) -> None:
    """An alias whose tool is missing is reported as dormant, and works again with the tool."""
    accept_alias(loaded_server)
    without = [line for line in catalogs.acme()[:-1] if line.get("id") != catalogs.MAIL]
    assert loaded_server.load(catalogs.jsonl(catalogs.add_end_line(without))).status_code == 200
    assert resolve_name(loaded_server, PIGEON)["status"] == "unknown"
    assert catalogs.MAIL in list_aliases(loaded_server)["aliases"][0]["dormant"]
    loaded_server.load()
    assert resolve_name(loaded_server, PIGEON)["tool"] == catalogs.MAIL
    assert list_aliases(loaded_server)["aliases"][0]["dormant"] is None


def test_a_later_tool_with_the_name_of_an_alias_wins(loaded_server: Served) -> None:
    """A catalog's own name wins over an earlier alias, which is reported as dormant."""
    accept_alias(loaded_server)
    own = catalogs.hook() | {"id": "acme-nodes.bird", "name": "Carrier Pigeon", "aliases": []}
    loaded_server.load(catalogs.jsonl(catalogs.add_end_line([*catalogs.acme()[:-1], own])))
    assert resolve_name(loaded_server, PIGEON)["tool"] == "acme-nodes.bird"
    assert "acme-nodes.bird" in list_aliases(loaded_server)["aliases"][0]["dormant"]


def test_refused_name_offers_replacement(loaded_server: Served) -> None:
    """A refused name resolves to nothing, and the finding names the tool to take instead."""
    refused = decide_alias(loaded_server, name="telegraph", action="refuse", instead=catalogs.MAIL)
    assert refused.status_code == 200
    answer = resolve_name(loaded_server, "Telegraph")
    assert (answer["status"], answer["method"]) == ("unknown", "alias")
    report = loaded_server.client.post("/v1/n8n/validate", json={"draft": plan("Telegraph")}).json()
    finding = next(
        diagnostic for diagnostic in report["diagnostics"] if diagnostic["code"] == "GB201"
    )
    assert finding["alternatives"] == [catalogs.MAIL]


def test_a_decision_is_taken_back(loaded_server: Served) -> None:
    """Dropping brings the former resolution back; rejecting ends the effect of an alias."""
    accept_alias(loaded_server)
    assert decide_alias(loaded_server, name=PIGEON, action="drop").status_code == 200
    assert resolve_name(loaded_server, PIGEON)["status"] == "unknown"
    assert code(decide_alias(loaded_server, name=PIGEON, action="drop")) == (404, "unknown-alias")
    accept_alias(loaded_server)
    assert decide_alias(loaded_server, name=PIGEON, action="reject").status_code == 200
    assert resolve_name(loaded_server, PIGEON)["status"] == "unknown"


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "nothing": ({"name": ""}, 400, "bad-name"),
    "blanks": ({"name": " \t "}, 400, "bad-name"),
    "marks": ({"name": "???"}, 400, "bad-name"),
    "100 kB": ({"name": "pigeon " * 15_000}, 400, "bad-name"),
    "an unseen mark": ({"name": "carrier\u200bpigeon"}, 400, "bad-name"),
    "a control character": ({"name": "carrier\u0000pigeon"}, 400, "bad-name"),
    "half an emoji": ({"name": "pigeon \ud83d"}, 400, "bad-name"),
    "an unknown tool": ({"tool": "acme-nodes.pigeon"}, 400, "unknown-tool"),
    "an excluded tool": ({"tool": catalogs.SHELL}, 400, "unknown-tool"),
    "no tool": ({"tool": None}, 400, "unknown-tool"),
    "an id": ({"name": catalogs.HOOK}, 409, "exact-name"),
    "an id in another case": ({"name": catalogs.HOOK.upper()}, 409, "exact-name"),
    "a name": ({"name": "acme hook"}, 409, "exact-name"),
    "a name of the tool itself": ({"name": "Acme E-Mail"}, 409, "exact-name"),
    "what looks like an id": ({"name": "acme-nodes.ho\u043ek"}, 400, "look-alike"),
    "what looks like a name": ({"name": "Acm\u0435 Hook"}, 400, "look-alike"),
    "an unknown action": ({"action": "adore"}, 400, "bad-argument"),
    "an unknown domain": ({"domain": "cooking"}, 404, "unknown-domain"),
    "a name that is none": ({"name": 7}, 400, "bad-argument"),
    "more than is asked": ({"colour": "blue"}, 400, "bad-argument"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_decision_about_unusable_name_is_refused(shared_server: Served, kind: str) -> None:
    """Unusable names, unknown tools and a tool's own names are refused, and nothing is stored."""
    facts, status, expected = REFUSED[kind]
    body = {"name": PIGEON, "action": "accept", "tool": catalogs.MAIL} | facts
    answer = shared_server.client.post("/v1/aliases", content=json.dumps(body))
    assert code(answer) == (status, expected), answer.text
    assert answer.json()["error"]["help"] or expected == "bad-argument"
    assert list_aliases(shared_server)["aliases"] == []


def test_a_preview_decides_nothing(shared_server: Served) -> None:
    """A preview states what would change and leaves everything as it is."""
    answer = decide_alias(
        shared_server, name=PIGEON, action="accept", tool=catalogs.MAIL, preview=True
    ).json()
    assert not answer["taken"]
    assert [(change["name"], change["after"]) for change in answer["changes"]] == [
        (PIGEON, catalogs.MAIL)
    ]
    assert resolve_name(shared_server, PIGEON)["status"] == "unknown"
    assert list_aliases(shared_server)["aliases"] == []


def test_a_name_that_means_a_tool_changes_only_knowingly(loaded_server: Served) -> None:
    """A likely slip of one tool's name becomes another's alias only with override."""
    slip = "Acme Hookk"
    assert resolve_name(loaded_server, slip)["tool"] == catalogs.HOOK
    body = {"name": slip, "action": "accept", "tool": catalogs.MAIL}
    assert code(decide_alias(loaded_server, **body)) == (409, "changes-names")
    assert resolve_name(loaded_server, slip)["tool"] == catalogs.HOOK
    made = decide_alias(loaded_server, **body, override=True).json()
    assert {(change["before"], change["after"]) for change in made["changes"]} == {
        (catalogs.HOOK, catalogs.MAIL)
    }
    assert resolve_name(loaded_server, slip)["tool"] == catalogs.MAIL


def test_corrections_of_runs_become_a_proposal(loaded_server: Served) -> None:
    """A name that runs replaced by one tool is proposed with those runs; deciding ends that."""
    runs = [corrected_run(loaded_server, "acme-nodes.carrierPigeon")]
    assert list_aliases(loaded_server)["proposals"] == []
    runs.append(corrected_run(loaded_server, "acme-nodes.carrierPigeon"))
    entries = list_aliases(loaded_server)
    proposal = entries["proposals"][0]
    assert (proposal["name"], proposal["tool"]) == ("acme-nodes.carrierPigeon", catalogs.MAIL)
    assert proposal["evidence"]["corrections"][0]["runs"] == runs[::-1]
    assert proposal["evidence"]["beside"] == [[catalogs.HOOK]]
    count = next(item for item in entries["counts"] if item["kind"] == "unknown")
    assert (count["name"], count["count"]) == ("acme-nodes.carrierPigeon", 2)
    made = accept_alias(loaded_server, proposal["name"], proposal["tool"])
    assert set(made["changes"][0]["runs"]) == set(runs)
    assert list_aliases(loaded_server)["proposals"] == []
    assert list_aliases(loaded_server)["aliases"][0]["evidence"]["corrections"][0]["count"] == 2


def test_a_name_that_stays_unknown_is_proposed_as_no_tool(loaded_server: Served) -> None:
    """Often asked for and never found: proposed as no such tool, until it is rejected."""
    for _ in range(5):
        resolve_name(loaded_server, "Quantum Servo")
    proposal = list_aliases(loaded_server)["proposals"][0]
    assert (proposal["name"], proposal["tool"]) == ("Quantum Servo", None)
    assert proposal["evidence"]["met"] == 5
    assert list_aliases(loaded_server, often=6)["proposals"] == []
    assert decide_alias(loaded_server, name="quantum servo", action="reject").status_code == 200
    assert list_aliases(loaded_server)["proposals"] == []


def test_names_are_counted_wherever_they_are_met(loaded_server: Served) -> None:
    """validate, repair, build and resolve count wrong names, and no name of a tool."""
    for route in ("validate", "repair", "build"):
        loaded_server.client.post(f"/v1/n8n/{route}", json={"draft": plan("Smoke Signal")})
        loaded_server.client.post(f"/v1/n8n/{route}", json={"draft": plan(catalogs.MAIL)})
    resolve_name(loaded_server, "Smoke \x07Signal")
    slip = catalogs.workflow()
    slip["nodes"][1]["type"] = "acme-nodes.MAIL"
    loaded_server.client.post("/v1/n8n/repair", json={"workflow": slip})
    counts = {
        (count["kind"], count["name"]): count for count in list_aliases(loaded_server)["counts"]
    }
    assert counts["unknown", "Smoke Signal"]["count"] == 4
    assert counts["unknown", "Smoke Signal"]["samples"] == [[catalogs.HOOK]]
    mended = counts["corrected", "acme-nodes.MAIL"]
    assert (mended["tool"], mended["samples"]) == (catalogs.MAIL, [[catalogs.HOOK]])
    assert len(counts) == 2


def test_of_two_decisions_at_once_one_conflicts_with_the_other(loaded_server: Served) -> None:
    """Two people who accept different tools for one name: one wins, the other learns of it."""

    def accept(tool: str) -> httpx.Response:
        return decide_alias(loaded_server, name=PIGEON, action="accept", tool=tool)

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(accept, (catalogs.MAIL, catalogs.AGENT)))
    won = [answer for answer in answers if answer.status_code == 200]
    assert won
    for lost in (answer for answer in answers if answer.status_code != 200):
        assert code(lost) in ((409, "decided-meanwhile"), (409, "changes-names"))
    held = list_aliases(loaded_server)["aliases"]
    assert len(held) == 1
    assert resolve_name(loaded_server, PIGEON)["tool"] == held[0]["tool"]


def test_another_replica_notices_by_itself(serve: Serve) -> None:
    """A decision and a put tool made on one server hold on another with the same database."""
    first = serve()
    first.load()
    second = serve()
    accept_alias(first)
    put = first.client.put(f"/v1/n8n/tools/{PUT}", json=put_line()).json()
    until(
        lambda: (
            resolve_name(second, PIGEON)["tool"] is not None
            and show_tool(second).status_code == 200
        ),
        "the other replica did not notice",
    )
    assert resolve_name(second, PIGEON)["catalog"] == put["fingerprint"]


def test_only_an_admin_decides(shared_server: Served) -> None:
    """Reading needs scope draft, deciding and putting tools admin."""
    body = {"label": "drafts", "scopes": ["draft"]}
    token = shared_server.client.post("/v1/tokens", json=body).json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    with shared_server.bare(headers=headers) as client:
        assert client.get("/v1/aliases").status_code == 200
        assert client.post("/v1/aliases", json={}).status_code == 403
        assert client.put(f"/v1/n8n/tools/{PUT}", json=put_line()).status_code == 403
        assert client.delete(f"/v1/n8n/tools/{PUT}").status_code == 403
    with shared_server.bare() as client:
        assert client.get("/v1/aliases").status_code == 401
