"""When its surroundings fail, a sidecar states what to do, loses nothing, and needs no restart."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.support import catalogs
from tests.support.jobs import WHOLE, await_drafted_job, job_of, lease_job, report_job, submit_job
from tests.support.loopback import NO_CERTIFICATES
from tests.support.postgres import Postgres
from tests.support.random_kills import Caller
from tests.support.replicas import Forks
from tests.support.small_disk import Confined, run_confined_sidecar
from tests.support.time_bounds import until

_BACK_S = 5.0
_NOISE_S = 10.0  # of a busy machine
_REQUEST = "When the hook is called, send a mail"


def open_session(client: httpx.Client) -> str:
    """A conversation that has begun."""
    answer = client.post("/v1/n8n/sessions", json={"request": _REQUEST})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["session"])


def reply_to(client: httpx.Client, session: str, bird: str) -> httpx.Response:
    """The answer to a draft with an invented tool, after which a conversation continues."""
    body = {"reply": json.dumps({"steps": [{"id": "bird", "tool": f"acme-nodes.{bird}"}]})}
    return client.post(f"/v1/sessions/{session}/drafts", json=body)


def assert_valid(client: httpx.Client) -> None:
    """A workflow is checked as usual."""
    answer = client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
    assert (answer.status_code, answer.json().get("verdict")) == (200, "ok"), answer.text


def error_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The error in an answer of this status, which states what to do."""
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    assert error["message"]
    assert error["help"]
    return error


def many_tools() -> bytes:
    """A catalog of some megabytes."""
    tools = [catalogs.hook() | {"id": f"acme-nodes.n{n}", "name": f"{n}" * 99} for n in range(900)]
    return catalogs.jsonl(catalogs.add_end_line([catalogs.header(), *tools]))


def test_a_full_disk(tmp_path: Path) -> None:
    """Operations that need space are refused with 507, and work again once there is space."""
    with run_confined_sidecar(tmp_path) as served:
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
        assert [draft["number"] for draft in run["drafts"]] == [1]
        loaded = client.put("/v1/n8n/catalog", content=many_tools())
        assert loaded.status_code == 200, loaded.text
        assert client.get("/v1/n8n/catalog").json()["fingerprint"] == loaded.json()["fingerprint"]


def test_a_database_that_goes_away(forks: Forks, postgres: Postgres) -> None:
    """Drafts are checked from memory; others get 503 with a time to retry, and continue."""
    facts = {"GROUNDED_DATABASE_URL": postgres.create("away"), "GROUNDED_DRAFTERS": "planner"}
    # The servers of the tests are quick and forget: here what is answered has to be written.
    with psycopg.connect(postgres.address("postgres"), autocommit=True) as connection:
        connection.execute("ALTER DATABASE away SET synchronous_commit = on")
    replica = forks.replica("one", **facts)
    caller = Caller(replica.url, replica.token())
    headers = {"Authorization": f"Bearer {replica.token()}"}
    with httpx.Client(
        verify=NO_CERTIFICATES, base_url=replica.url, headers=headers, timeout=_NOISE_S * 6
    ) as client:
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
        assert [draft["number"] for draft in run["drafts"]] == [1, 2]
        again = caller.ask("GET", "/v1/n8n/catalog")
        assert again.status_code == 200


def assert_refuses_writes(served: Confined, session: str) -> None:
    """Writes are refused with what to do, drafts are checked and catalogs read."""
    for answer in (
        served.client.post("/v1/n8n/sessions", json={"request": _REQUEST}),
        reply_to(served.client, session, "falcon"),
        served.client.put("/v1/n8n/catalog", content=many_tools()),
        served.client.post("/v1/tokens", json={"label": "x", "scopes": ["validate"]}),
    ):
        assert error_of(answer, 503)["code"] in ("database-read-only", "database-unreachable")
    assert_valid(served.client)
    assert served.client.get("/v1/n8n/catalog").is_success
    assert served.client.get(f"/v1/sessions/{session}").is_success


def test_a_file_system_that_was_read_only(tmp_path: Path) -> None:
    """Once it can be written again everything is, without a restart, and no handle is left open."""
    with run_confined_sidecar(tmp_path) as served:
        assert served.client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).is_success
        session = open_session(served.client)
        assert reply_to(served.client, session, "pigeon").status_code == 200
        served.kill()
        served.remount("ro")
        served.restart()
        for _ in range(3):
            assert_refuses_writes(served, session)
        open_files = served.open_files()
        for _ in range(10):
            assert_refuses_writes(served, session)
        assert served.open_files() <= open_files + 3
        served.remount("rw")
        assert reply_to(served.client, session, "falcon").status_code == 200
        assert open_session(served.client) != session
        run = served.client.get(f"/v1/runs/{session}").json()
        assert [draft["number"] for draft in run["drafts"]] == [1, 2]
        loaded = served.client.put("/v1/n8n/catalog", content=many_tools())
        assert loaded.status_code == 200, loaded.text


def build(client: httpx.Client) -> dict[str, Any]:
    """What has to be sent to import a workflow: the artifact and its receipt."""
    answer = client.post("/v1/n8n/build", json={"workflow": catalogs.workflow()})
    assert answer.status_code == 200, answer.text
    return {"workflow": answer.json()["artifact"], "receipt": answer.json()["receipt"]}


def codes_of_import(client: httpx.Client, order: dict[str, Any]) -> set[str]:
    """The codes of an import into an n8n that does not answer: the receipt is checked before."""
    answer = client.post("/v1/n8n/import", json=order)
    assert answer.status_code == 200, answer.text
    diagnostics = answer.json()["diagnostics"]
    assert all(diagnostic["message"] for diagnostic in diagnostics)
    return {diagnostic["code"] for diagnostic in diagnostics}


_AWAY = {"GROUNDED_N8N_URL": "http://127.0.0.1:9", "GROUNDED_N8N_API_KEY": "none-answers-7"}
_EXPIRED, _UNREACHABLE = "GB503", "N8N501"


def test_a_state_that_turns_read_only_in_the_middle_of_work(tmp_path: Path) -> None:
    """A conversation and a job that are under way continue where they were; receipts stay good."""
    with run_confined_sidecar(tmp_path, preload=True, **_AWAY) as served:
        client = served.client
        assert client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).is_success
        session = open_session(client)
        assert reply_to(client, session, "pigeon").status_code == 200
        order = build(client)
        assert codes_of_import(client, order) == {_UNREACHABLE}
        job = submit_job(served)
        taken = lease_job(served, seconds=600)
        assert taken is not None
        served.set_read_only(is_read_only=True)
        report = {"lease": taken["lease"], "report": WHOLE}
        for answer in (
            client.post(f"/v1/simulink/jobs/{job['id']}/result", json=report),
            reply_to(client, session, "falcon"),
        ):
            assert error_of(answer, 503)["code"] in ("database-read-only", "database-unreachable")
        assert_valid(client)
        served.set_read_only(is_read_only=False)
        assert reply_to(client, session, "falcon").status_code == 200
        run = client.get(f"/v1/runs/{session}").json()
        assert [draft["number"] for draft in run["drafts"]] == [1, 2]
        assert codes_of_import(client, order) == {_UNREACHABLE}
        assert report_job(served, taken, WHOLE)["state"] == "built"
        assert len(job_of(served, job["id"])["attempts"]) == 1


@pytest.mark.parametrize("seconds", [3_600, 86_400])
def test_a_clock_that_jumps(seconds: int, tmp_path: Path) -> None:
    """With the clock ahead everything that lasts an hour has expired; set back, all is valid again.

    Nothing is built twice, whoever holds a lease, and no request fails for the time.
    """
    with run_confined_sidecar(tmp_path, preload=True, **_AWAY) as served:
        client = served.client
        assert client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).is_success
        session, order, job = open_session(client), build(client), submit_job(served)
        assert codes_of_import(client, order) == {_UNREACHABLE}
        first = lease_job(served, seconds=600)
        assert first is not None

        served.set_clock(-seconds)
        assert reply_to(client, session, "pigeon").status_code == 200
        assert codes_of_import(client, order) == {_UNREACHABLE}
        assert lease_job(served, seconds=600) is None
        assert_valid(client)

        served.set_clock(seconds + 60)
        assert _EXPIRED in codes_of_import(client, order)
        expired = client.post(f"/v1/sessions/{session}/drafts", json={"reply": "{}"})
        assert error_of(expired, 404)["code"] == "unknown-session"
        assert "expired" in expired.text
        second = lease_job(served, seconds=600)
        assert second is not None
        assert second["id"] == job["id"]
        refused = {"lease": first["lease"], "report": WHOLE}
        late = client.post(f"/v1/simulink/jobs/{job['id']}/result", json=refused)
        assert error_of(late, 409)["code"] == "lease-lost"
        assert codes_of_import(client, build(client)) == {_UNREACHABLE}

        served.set_clock(0)
        # The last reply was given by the clock that was behind, and counts by that one.
        assert client.post("/v1/n8n/sessions", json={"request": _REQUEST}).status_code == 200
        assert codes_of_import(client, order) == {_UNREACHABLE}
        assert lease_job(served, seconds=600) is None
        assert report_job(served, second, WHOLE)["state"] == "built"
        assert [attempt["silent"] for attempt in job_of(served, job["id"])["attempts"]] == [
            True,
            False,
        ]
        assert await_drafted_job(served, job["id"])["state"] == "built"
