"""More requests than can be served at once: a refused client gets a time to retry."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx

from tests.api.conftest import Serve, Served
from tests.api.conversation_client import REQUEST, RIGHT, drafted_by
from tests.support import catalogs
from tests.support.loopback import NO_CERTIFICATES
from tests.support.slow_model import slow_model
from tests.support.time_bounds import PATIENCE_S, until

_DRAFT = {"workflow": catalogs.workflow()}
_CONVERSATIONS = 100


@contextmanager
def _half_sent(served: Served, token: str) -> Iterator[None]:
    """Keeps a request being worked on: its body does not come to its end."""
    url = httpx.URL(served.url)
    head = (
        f"POST /v1/n8n/validate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE_S) as connection:
        connection.sendall(head.encode())
        yield


def _is_refused(answer: httpx.Response) -> bool:
    """Whether a request was refused for its number; then it has to say when to come back."""
    if answer.status_code not in (429, 503):
        return False
    assert 1 <= int(answer.headers["retry-after"]) <= 120
    error = answer.json()["error"]
    assert error["code"] in ("too-many-requests", "busy")
    assert answer.headers["retry-after"] in error["help"]
    return True


def _second_token(served: Served) -> str:
    made = served.client.post("/v1/tokens", json={"label": "b", "scopes": ["validate"]})
    return str(made.json()["token"])


def test_requests_of_token_are_limited(serve: Serve) -> None:
    """Beyond its bound a token is refused, another one is not, and health answers."""
    served = serve(token_requests=3)
    served.load()
    other = {"Authorization": f"Bearer {_second_token(served)}"}
    with ExitStack() as open_requests:
        for _ in range(3):
            open_requests.enter_context(_half_sent(served, served.token))
        until(lambda: served.state.working.count == 3)
        assert _is_refused(served.client.post("/v1/n8n/validate", json=_DRAFT))
        with served.bare(headers=other) as client:
            assert client.post("/v1/n8n/validate", json=_DRAFT).status_code == 200
        assert served.client.get("/healthz").status_code == 200
        assert served.client.get("/readyz").status_code == 200
        assert served.client.get("/metrics").status_code == 200
    until(lambda: served.client.post("/v1/n8n/validate", json=_DRAFT).status_code == 200)


def test_all_tokens_together_are_bounded(serve: Serve) -> None:
    """Beyond the bound of the process every token is refused, until there is room."""
    served = serve(requests=2)
    served.load()
    other = _second_token(served)
    with _half_sent(served, served.token), _half_sent(served, other):
        until(lambda: served.state.working.count == 2)
        assert _is_refused(served.client.post("/v1/n8n/validate", json=_DRAFT))
        assert served.client.get("/healthz").status_code == 200
    until(lambda: served.client.post("/v1/n8n/validate", json=_DRAFT).status_code == 200)


def test_refused_requests_are_not_counted(serve: Serve) -> None:
    """Finished and refused requests are no longer counted as concurrent."""
    served = serve(requests=4, token_requests=4)
    served.load()
    for _ in range(3):
        assert served.bare().post("/v1/n8n/validate", json=_DRAFT).status_code == 401
        assert served.client.post("/v1/n8n/validate", content=b"{").status_code == 400
        assert served.client.post("/v1/nothing/validate", json=_DRAFT).status_code == 404
        assert served.client.post("/v1/n8n/validate", json=_DRAFT).status_code == 200


def test_a_hundred_conversations_wait_for_a_slow_model(serve: Serve) -> None:
    """A slow model drafts all at once, and validation continues meanwhile."""
    seconds = 4.0
    with slow_model(json.dumps(RIGHT), seconds) as url:
        served = serve(**drafted_by(url))
        served.load()
        began = time.monotonic()
        answers, health = asyncio.run(_converse(served))
        took = time.monotonic() - began
    assert Counter(answer["outcome"] for answer in answers) == {"incomplete": _CONVERSATIONS}
    assert all("m at " in answer for answer in _drafters(served, answers[:3]))
    # Eight at a time would wait for the model alone most of a minute.
    assert took < _CONVERSATIONS / 8 * seconds
    assert health == {200}


def _drafters(served: Served, answers: list[Any]) -> list[str]:
    runs = (served.client.get(f"/v1/runs/{answer['session']}").json() for answer in answers)
    return [run["drafter"] for run in runs]


async def _converse(served: Served) -> tuple[list[Any], set[int]]:
    """Generates many times at once, and comes back when told to."""
    limits = httpx.Limits(max_connections=_CONVERSATIONS + 10)
    headers = {"Authorization": f"Bearer {served.token}"}
    async with httpx.AsyncClient(
        verify=NO_CERTIFICATES,
        base_url=served.url,
        headers=headers,
        timeout=PATIENCE_S,
        limits=limits,
    ) as client:

        async def generate() -> Any:
            while True:
                answer = await client.post("/v1/n8n/generate", json={"request": REQUEST})
                if not _is_refused(answer):
                    assert answer.status_code == 200, answer.text
                    return answer.json()
                await asyncio.sleep(int(answer.headers["retry-after"]))

        tasks = [asyncio.create_task(generate()) for _ in range(_CONVERSATIONS)]
        health: set[int] = set()
        while not all(task.done() for task in tasks):
            health.add((await client.get("/healthz")).status_code)
            health.add((await client.post("/v1/n8n/validate", json=_DRAFT)).status_code)
            await asyncio.sleep(0.2)
        return list(await asyncio.gather(*tasks)), health


def test_excess_generation_is_refused_with_retry_time(serve: Serve) -> None:
    """A generation without a free thread is refused with a time, and accepted then."""
    with slow_model(json.dumps(RIGHT), 1.0) as url:
        served = serve(**drafted_by(url), generations=2)
        served.load()

        async def three() -> list[httpx.Response]:
            headers = {"Authorization": f"Bearer {served.token}"}
            async with httpx.AsyncClient(
                verify=NO_CERTIFICATES, base_url=served.url, headers=headers, timeout=PATIENCE_S
            ) as client:
                asked = {"request": REQUEST}
                calls = (client.post("/v1/n8n/generate", json=asked) for _ in range(3))
                return list(await asyncio.gather(*calls))

        answers = asyncio.run(three())
        assert sorted(answer.status_code for answer in answers) == [200, 200, 429]
        assert sum(_is_refused(answer) for answer in answers) == 1
        done = served.client.post("/v1/n8n/generate", json={"request": REQUEST})
        assert done.status_code == 200
