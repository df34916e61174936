"""The surroundings of a sidecar fail: it says what to do, loses nothing, and needs no restart."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import psycopg

from tests.support import catalogs
from tests.support.confined import confined
from tests.support.kills import Caller
from tests.support.patience import until
from tests.support.postgres import Postgres
from tests.support.replicas import Forks

_BACK_S = 5.0
_NOISE_S = 10.0  # of a busy machine
_REQUEST = "When the hook is called, send a mail"


def open_session(client: httpx.Client) -> str:
    """A conversation that has begun."""
    answer = client.post("/v1/n8n/sessions", json={"request": _REQUEST})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["session"])


def reply_to(client: httpx.Client, session: str, bird: str) -> httpx.Response:
    """The answer to a draft with an invented tool, after which a conversation goes on."""
    body = {"reply": json.dumps({"steps": [{"id": "bird", "tool": f"acme-nodes.{bird}"}]})}
    return client.post(f"/v1/sessions/{session}/drafts", json=body)


def assert_valid(client: httpx.Client) -> None:
    """A workflow is judged as ever."""
    answer = client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
    assert (answer.status_code, answer.json().get("verdict")) == (200, "ok"), answer.text


def error_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The error in an answer of this status, which says what to do."""
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    assert error["message"]
    assert error["help"]
    return error


def many_tools() -> bytes:
    """A catalog of some megabytes."""
    tools = [catalogs.hook() | {"id": f"acme-nodes.n{n}", "name": f"{n}" * 99} for n in range(900)]
    return catalogs.jsonl(catalogs.closed([catalogs.header(), *tools]))


def test_a_full_disk(tmp_path: Path) -> None:
    """What needs space is refused with 507 and leaves nothing; with space again all goes on."""
    with confined(tmp_path) as served:
        client = served.client
        active = client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).json()["fingerprint"]
        session = open_session(client)
        fill = served.fill()
        answer = client.put("/v1/n8n/catalog", content=many_tools())
        assert error_of(answer, 507)["code"] == "disk-full"
        # A reply fits into what the journal has already, or is refused like the catalog.
        answer = reply_to(client, session, "pigeon")
        if answer.status_code != 200:
            assert error_of(answer, 507)["code"] == "disk-full"
        assert_valid(client)
        assert client.get("/v1/n8n/catalog").json()["fingerprint"] == active
        fill.unlink()
        if answer.status_code != 200:
            assert reply_to(client, session, "pigeon").status_code == 200
        run = client.get(f"/v1/runs/{session}").json()
        assert [one["number"] for one in run["drafts"]] == [1]
        loaded = client.put("/v1/n8n/catalog", content=many_tools())
        assert loaded.status_code == 200, loaded.text
        assert client.get("/v1/n8n/catalog").json()["fingerprint"] == loaded.json()["fingerprint"]


def test_a_database_that_goes_away(forks: Forks, postgres: Postgres) -> None:
    """Drafts are judged from memory, the rest gets 503 with when to ask again, and goes on."""
    facts = {"GROUNDED_DATABASE_URL": postgres.create("away"), "GROUNDED_DRAFTERS": "planner"}
    # The servers of the tests are quick and forget: here what is answered has to be written.
    with psycopg.connect(postgres.address("postgres"), autocommit=True) as connection:
        connection.execute("ALTER DATABASE away SET synchronous_commit = on")
    replica = forks.replica("one", **facts)
    caller = Caller(replica.url, replica.token())
    headers = {"Authorization": f"Bearer {replica.token()}"}
    with httpx.Client(base_url=replica.url, headers=headers, timeout=_NOISE_S * 6) as client:
        assert client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).is_success
        made = client.post("/v1/tokens", json={"label": "x", "scopes": ["validate"]}).json()
        session = open_session(client)
        assert reply_to(client, session, "pigeon").json()["status"] == "draft"
        # A token made just before is known wherever it was answered.
        assert Caller(replica.url, made["token"]).ask("GET", "/v1/n8n/catalog").is_success
        postgres.stop()
        try:
            assert_valid(client)
            for answer in (
                client.post("/v1/n8n/sessions", json={"request": _REQUEST}),
                reply_to(client, session, "falcon"),
                client.put("/v1/n8n/catalog", content=many_tools()),
                client.get("/readyz"),
            ):
                error = error_of(answer, 503)
                assert error["code"] == "database-unreachable"
                assert int(answer.headers["Retry-After"]) > 0
            assert client.get("/healthz").is_success
            assert_valid(client)
        finally:
            postgres.start()
        began = time.monotonic()
        until(lambda: client.get("/readyz").is_success)
        assert reply_to(client, session, "falcon").status_code == 200
        assert time.monotonic() - began < _BACK_S + _NOISE_S
        run = client.get(f"/v1/runs/{session}").json()
        assert [one["number"] for one in run["drafts"]] == [1, 2]
        again = caller.ask("GET", "/v1/n8n/catalog")
        assert again.status_code == 200
