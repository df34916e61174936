"""Two replicas on two machines over one PostgreSQL share their state."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.support import catalogs
from tests.support.jobs import PLAN
from tests.support.loopback import NO_CERTIFICATES
from tests.support.nginx import run_nginx
from tests.support.postgres import Postgres
from tests.support.random_kills import Caller
from tests.support.replicas import Forks, Replica
from tests.support.time_bounds import PATIENCE_S, until

_TAKEN_OVER_S = 15.0
_NOISE_S = 10.0  # of a busy machine


@pytest.fixture
def pair(forks: Forks, postgres: Postgres) -> tuple[Replica, Replica]:
    """Two sidecars that take each other for programs of another machine."""
    facts = {"GROUNDED_DATABASE_URL": postgres.create("pair"), "GROUNDED_DRAFTERS": "planner"}
    first = forks.replica("first", "machine-first", **facts)
    return first, forks.replica("second", "machine-second", **facts)


@pytest.fixture
def model() -> Iterator[HTTPServer]:
    """An endpoint that answers several at once."""
    with HTTPServer(threaded=True) as server:
        yield server


def test_replicas_share_catalog_and_token_at_once(pair: tuple[Replica, Replica]) -> None:
    """A first catalog and a token are valid at both replicas before their next poll."""
    first, second = (Caller(replica.url, pair[0].token()) for replica in pair)
    workflow = catalogs.workflow()
    assert first.ask("PUT", "/v1/n8n/catalog", content=catalogs.acme_bytes()).is_success
    answer = second.ask("POST", "/v1/n8n/validate", workflow=workflow)
    assert (answer.status_code, answer.json().get("verdict")) == (200, "ok")
    for _ in range(3):
        made = first.ask("POST", "/v1/tokens", label="x", scopes=["validate"]).json()
        other = Caller(pair[1].url, made["token"])
        assert other.ask("GET", "/v1/n8n/catalog").status_code == 200
    assert first.ask("DELETE", f"/v1/tokens/{made['id']}").status_code == 204
    until(lambda: other.ask("GET", "/v1/n8n/catalog").status_code == 401)


def test_tokens_that_nobody_knows_ask_the_database_seldom(pair: tuple[Replica, Replica]) -> None:
    """Many wrong tokens at once are refused together, and a right one is served meanwhile."""
    wrong = Caller(pair[0].url, "wrong")
    began = time.monotonic()
    threads = [threading.Thread(target=wrong.ask, args=("GET", "/v1/tokens")) for _ in range(30)]
    for thread in threads:
        thread.start()
    right = Caller(pair[0].url, pair[0].token())
    assert right.ask("GET", "/v1/tokens").status_code == 200
    for thread in threads:
        thread.join(PATIENCE_S)
    assert time.monotonic() - began < _NOISE_S


def test_a_job_whose_drafter_was_killed_elsewhere_is_taken_over(
    forks: Forks, postgres: Postgres, model: HTTPServer
) -> None:
    """Its drafter waits for a model when its machine dies: within 15 s another drafts it."""
    asked, over, questions = threading.Event(), threading.Event(), []

    def answer(_: Request) -> Response:
        questions.append(1)
        asked.set()
        if len(questions) == 1:
            over.wait(PATIENCE_S)
        text = json.dumps({"choices": [{"message": {"content": json.dumps(PLAN)}}]})
        return Response(text, content_type="application/json")

    model.expect_request("/v1/chat/completions").respond_with_handler(answer)
    facts = {
        "GROUNDED_DATABASE_URL": postgres.create("pair"),
        "GROUNDED_MODEL_URL": model.url_for("/v1"),
        "GROUNDED_MODEL": "m",
    }
    first = forks.replica("first", "machine-first", **facts)
    second = forks.replica("second", "machine-second", **facts)
    try:
        caller = Caller(first.url, first.token())
        request = "a sine wave on a scope"
        job = caller.ask("POST", "/v1/simulink/jobs", request=request).json()["jobs"][0]["id"]
        assert asked.wait(PATIENCE_S)
        # The lease is renewed for as long as its drafter lives, however long that takes.
        time.sleep(_TAKEN_OVER_S)
        other = Caller(second.url, first.token())
        path = f"/v1/simulink/jobs/{job}"
        assert other.ask("GET", path).json()["jobs"][0]["state"] == "drafting"
        assert len(questions) == 1
        forks.kill(first)
        began = time.monotonic()
        until(lambda: other.ask("GET", path).json()["jobs"][0]["state"] == "ready")
        assert time.monotonic() - began < _TAKEN_OVER_S + _NOISE_S
    finally:
        over.set()


def test_requests_pass_a_replica_that_is_gone(
    forks: Forks, pair: tuple[Replica, Replica], tmp_path: Path
) -> None:
    """nginx asks the other replica: of a connection that is refused, every request."""
    with run_nginx(tmp_path / "nginx", [replica.port for replica in pair]) as (url, _):
        token = pair[0].token()
        forks.kill(pair[1])
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(
            verify=NO_CERTIFICATES, base_url=url, headers=headers, timeout=PATIENCE_S
        ) as client:
            body = {"workflow": catalogs.workflow()}
            assert client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).is_success
            for _ in range(8):
                assert client.get("/v1/n8n/catalog").status_code == 200
                assert client.post("/v1/n8n/validate", json=body).status_code == 200
                assert client.post(
                    "/v1/tokens", json={"label": "x", "scopes": ["validate"]}
                ).is_success
