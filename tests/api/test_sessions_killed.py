"""Conversations outlive the server that holds them."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from werkzeug.wrappers import Request, Response

from tests.api.conversation_client import INVENTED, REQUEST, RIGHT
from tests.api.test_serve import headers_of, run_server
from tests.support import catalogs
from tests.support.loopback import NO_CERTIFICATES, ask
from tests.support.time_bounds import PATIENCE_S


def test_a_kill_between_rounds_loses_nothing(tmp_path: Path) -> None:
    """After kill -9 the conversation continues at its last state, and its record is complete."""
    with run_server(tmp_path) as (started, url):
        headers = headers_of(tmp_path)
        patient: dict[str, Any] = {"headers": headers, "timeout": PATIENCE_S}
        body = catalogs.acme_bytes()
        assert ask("PUT", f"{url}/v1/n8n/catalog", content=body, **patient).is_success
        with httpx.Client(verify=NO_CERTIFICATES, base_url=url, **patient) as client:
            session = client.post("/v1/n8n/sessions", json={"request": REQUEST}).json()["session"]
            drafts = f"/v1/sessions/{session}/drafts"
            before = client.post(drafts, json={"reply": json.dumps(INVENTED)}).json()
        assert before["round"] == 2
        started.kill()
        started.wait()
    with (
        run_server(tmp_path) as (_, url),
        httpx.Client(verify=NO_CERTIFICATES, base_url=url, **patient) as client,
    ):
        assert client.get(f"/v1/sessions/{session}").json() == before
        recorded = client.get(f"/v1/runs/{session}").json()
        assert [draft["reply"] for draft in recorded["drafts"]] == [json.dumps(INVENTED)]
        done = client.post(drafts, json={"reply": json.dumps(RIGHT)}).json()
        assert (done["outcome"], done["reason"], done["rounds"]) == ("incomplete", "repaired", 2)
        recorded = client.get(f"/v1/runs/{session}").json()
        assert [draft["number"] for draft in recorded["drafts"]] == [1, 2]
        assert recorded["result"] == done


def test_a_kill_while_a_model_is_asked_loses_nothing(tmp_path: Path, httpserver: Any) -> None:
    """After kill -9 in a generation its prompt and drafts are stored, and it can be continued."""
    asked, over = threading.Event(), threading.Event()
    replies = iter([json.dumps(INVENTED)])

    def answer(_: Request) -> Response:
        content = next(replies, None)
        if content is None:
            asked.set()
            over.wait(PATIENCE_S)
        text = json.dumps({"choices": [{"message": {"content": content or ""}}]})
        return Response(text, content_type="application/json")

    httpserver.expect_request("/v1/chat/completions").respond_with_handler(answer)
    model = {"GROUNDED_MODEL_URL": httpserver.url_for("/v1"), "GROUNDED_MODEL": "m"}
    with run_server(tmp_path, **model) as (started, url):
        headers = headers_of(tmp_path)
        patient: dict[str, Any] = {"headers": headers, "timeout": PATIENCE_S}
        body = catalogs.acme_bytes()
        assert ask("PUT", f"{url}/v1/n8n/catalog", content=body, **patient).is_success

        def generate() -> None:
            entries = {"request": REQUEST}
            with suppress(httpx.TransportError):
                ask(
                    "POST",
                    f"{url}/v1/n8n/generate",
                    json=entries,
                    headers=headers,
                    timeout=PATIENCE_S,
                )

        caller = threading.Thread(target=generate)
        caller.start()
        assert asked.wait(PATIENCE_S)
        started.kill()
        started.wait()
        caller.join(PATIENCE_S)
    over.set()
    with (
        run_server(tmp_path) as (_, url),
        httpx.Client(verify=NO_CERTIFICATES, base_url=url, **patient) as client,
    ):
        (run,) = client.get("/v1/runs").json()["runs"]
        assert run["outcome"] is None
        recorded = client.get(f"/v1/runs/{run['id']}").json()
        assert [draft["reply"] for draft in recorded["drafts"]] == [json.dumps(INVENTED)]
        waiting = client.get(f"/v1/sessions/{run['id']}").json()
        assert (waiting["status"], waiting["round"]) == ("draft", 2)
        reply = {"reply": json.dumps(RIGHT)}
        done = client.post(f"/v1/sessions/{run['id']}/drafts", json=reply).json()
        assert done["outcome"] == "incomplete"
