"""The client's laws, against a server that fails in every way."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from grounded_builder.domains.n8n.deploy.client import N8nClient, diagnose
from grounded_builder.domains.n8n.deploy.http import Bounds, N8nError
from runtime.ports import free_port
from tests.support.loopback import serve_bytes
from tests.support.time_bounds import PATIENCE_S

BOUNDS = Bounds(answer_bytes=10_000, retry_wait_s=0.05)
WORKFLOWS = "/api/v1/workflows"


@pytest.fixture
def client(httpserver: HTTPServer) -> Iterator[N8nClient]:
    with N8nClient(httpserver.url_for("/"), "the-key", BOUNDS) as result:
        yield result


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Set when the test is over: until then a server may keep silent."""
    event = threading.Event()
    yield event
    event.set()


def hasty(httpserver: HTTPServer, **bounds: Any) -> N8nClient:
    """A client that gives up early."""
    return N8nClient(httpserver.url_for("/"), "the-key", replace(BOUNDS, **bounds))


def failure(client: N8nClient) -> N8nError:
    with pytest.raises(N8nError) as caught:
        client.create({"name": "x"})
    return caught.value


@pytest.mark.parametrize(
    ("status", "body", "kind", "code"),
    [
        (400, '{"message": "request/body foo"}', "refused", "N8N503"),
        (401, '{"message": "Unauthorized"}', "invalid-api-key", "N8N502"),
        (403, '{"message": "Forbidden"}', "invalid-api-key", "N8N502"),
        (404, '{"message": "Not Found"}', "missing", "N8N503"),
        (404, "<html>no such page</html>", "garbled", "N8N506"),
        (409, '{"message": "conflict"}', "conflict", "N8N503"),
        (413, "<pre>Payload Too Large</pre>", "refused", "N8N503"),
        (429, '{"message": "slow down"}', "failed", "N8N506"),
        (500, '{"message": "boom"}', "failed", "N8N506"),
        (502, "<html>bad gateway</html>", "failed", "N8N506"),
        (200, "<html>log in</html>", "garbled", "N8N506"),
        (200, "[1]", "garbled", "N8N506"),
        (200, '{"data": 1}', "garbled", "N8N506"),
        (200, "[" * 5000 + "]" * 5000, "garbled", "N8N506"),
        (200, json.dumps({"id": "x" * 20_000}), "garbled", "N8N506"),
    ],
)
def test_every_failure_has_its_kind(
    status: int, body: str, kind: str, code: str, client: N8nClient, httpserver: HTTPServer
) -> None:
    """An answer that is no success is distinguished, and becomes a diagnostic with advice."""
    httpserver.expect_request(WORKFLOWS, method="POST").respond_with_data(body, status)
    error = failure(client)
    assert error.kind == kind
    diagnostic = diagnose(error)
    assert diagnostic.code == code
    assert diagnostic.help
    assert "the-key" not in diagnostic.message


def test_closed_port_is_unreachable() -> None:
    """A closed port is reported as such, at once."""
    with N8nClient(f"http://127.0.0.1:{free_port()}", "key", BOUNDS) as client:
        assert failure(client).kind == "unreachable"


def test_a_late_answer_is_slow(over: threading.Event, httpserver: HTTPServer) -> None:
    """The wait for an answer has an end, before the answer comes."""

    def late(_request: Request) -> Response:
        over.wait(PATIENCE_S)
        return Response("{}")

    httpserver.expect_request(WORKFLOWS).respond_with_handler(late)
    with hasty(httpserver, read_s=0.3) as client:
        assert failure(client).kind == "slow"


def test_a_trickle_is_slow(over: threading.Event, httpserver: HTTPServer) -> None:
    """An answer that arrives byte by byte is ended too."""

    def trickle() -> Iterator[bytes]:
        while not over.wait(0.05):
            yield b" "

    httpserver.expect_request(WORKFLOWS).respond_with_handler(lambda _: Response(trickle()))
    with hasty(httpserver, read_s=PATIENCE_S, whole_s=0.5, answer_bytes=1_000_000) as client:
        assert failure(client).kind == "slow"


@pytest.mark.parametrize(
    ("head", "kind", "code"),
    [
        (b"Content-Length: 900", "unreachable", "N8N501"),
        (b"Transfer-Encoding: chunked", "unreachable", "N8N501"),
        (b"Content-Encoding: gzip", "garbled", "N8N506"),
    ],
)
def test_an_answer_that_breaks_off_has_its_kind(head: bytes, kind: str, code: str) -> None:
    """n8n ends in the middle of an answer, or sends one that cannot be unpacked."""
    with (
        serve_bytes(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n{") as url,
        N8nClient(url, "the-key", BOUNDS) as client,
    ):
        error = failure(client)
    assert (error.kind, diagnose(error).code) == (kind, code)


def test_an_answer_that_stops_is_slow(over: threading.Event, httpserver: HTTPServer) -> None:
    """The head of an answer comes, and a part of the rest."""

    def part() -> Iterator[bytes]:
        yield b'{"id": '
        over.wait(PATIENCE_S)

    httpserver.expect_request(WORKFLOWS).respond_with_handler(lambda _: Response(part()))
    with hasty(httpserver, read_s=0.3) as client:
        assert failure(client).kind == "slow"


def test_no_redirect_is_followed(client: N8nClient, httpserver: HTTPServer) -> None:
    """The key goes to the configured address alone."""
    elsewhere = {"Location": "http://example.invalid/api/v1/workflows"}
    httpserver.expect_request(WORKFLOWS).respond_with_data("", 307, elsewhere)
    error = failure(client)
    assert error.kind == "garbled"
    assert "http://example.invalid" in error.what


def test_only_what_may_be_repeated_is(client: N8nClient, httpserver: HTTPServer) -> None:
    """Reading is tried again after a failure, creating never."""
    httpserver.expect_ordered_request(WORKFLOWS, method="POST").respond_with_data("", 503)
    assert failure(client).kind == "failed"
    assert len(httpserver.log) == 1
    text = f"{WORKFLOWS}/a"
    httpserver.expect_ordered_request(text, method="GET").respond_with_data("", 503)
    httpserver.expect_ordered_request(text, method="GET").respond_with_json({"id": "a"})
    assert client.get("a") == {"id": "a"}


def test_deleting_what_is_gone_is_fine(client: N8nClient, httpserver: HTTPServer) -> None:
    """A deletion whose answer was lost may be repeated."""
    answer = {"message": "Not Found"}
    httpserver.expect_request(f"{WORKFLOWS}/a").respond_with_json(answer, 404)
    client.delete("a")


def test_names_are_compared_exactly(client: N8nClient, httpserver: HTTPServer) -> None:
    """n8n filters names by LIKE; what it finds beyond the exact name is left out."""
    pages = {"": ("c1", ["100%", "100% more"]), "c1": (None, ["1000", "100%"])}

    def answer(request: Request) -> Response:
        assert request.args["name"] == "100%"
        following, names = pages[request.args.get("cursor", "")]
        entries = [{"id": str(index), "name": name} for index, name in enumerate(names)]
        return Response(json.dumps({"data": entries, "nextCursor": following}))

    httpserver.expect_request(WORKFLOWS).respond_with_handler(answer)
    assert [item["name"] for item in client.workflows_named("100%")] == ["100%", "100%"]


def test_endless_pages_have_an_end(client: N8nClient, httpserver: HTTPServer) -> None:
    """Reading pages with an endless cursor stops."""
    page = {"data": [], "nextCursor": "more"}
    httpserver.expect_request(WORKFLOWS).respond_with_json(page)
    with pytest.raises(N8nError, match="more than"):
        list(client.workflows_named("x"))


def test_an_older_n8n_is_updated_without_the_newer_word(
    client: N8nClient, httpserver: HTTPServer
) -> None:
    """An n8n that does not know ``publishIfActive`` is asked again without it."""

    def answer(request: Request) -> Response:
        if "publishIfActive" in request.args:
            message = "Unknown query parameter 'publishIfActive'"
            return Response(json.dumps({"message": message}), 400)
        return Response('{"id": "a"}')

    httpserver.expect_request(f"{WORKFLOWS}/a", method="PUT").respond_with_handler(answer)
    assert client.update("a", {}) == {"id": "a"}


def test_ids_stay_in_their_place(client: N8nClient, httpserver: HTTPServer) -> None:
    """An id is one part of the path, whatever is in it."""
    httpserver.expect_request(re.compile(".*")).respond_with_json({"id": "a"})
    client.get("../credentials?x=1")
    assert httpserver.log[0][0].path.startswith(f"{WORKFLOWS}/..")
    assert httpserver.log[0][0].query_string == b""


def test_a_webhook_request_contains_no_key(client: N8nClient, httpserver: HTTPServer) -> None:
    """Whether a webhook listens is asked without the API key, and without starting it."""

    def answer(request: Request) -> Response:
        assert request.method == "OPTIONS"
        assert "X-N8N-API-KEY" not in request.headers
        return Response("", 204, {"Access-Control-Allow-Methods": "OPTIONS, post"})

    httpserver.expect_request("/webhook/some/path").respond_with_handler(answer)
    assert client.webhook_methods("some/path") == {"POST"}
