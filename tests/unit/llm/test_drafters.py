"""The chat endpoint against a server that answers as endpoints do, and as they should not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.endpoint import ChatEndpoint, Place, ReplyBounds
from tests.support.loopback import serve_bytes
from tests.support.time_bounds import PATIENCE_S

ASKED = (Message("system", "rules"), Message("user", "a request"))
SCHEMA = {"type": "object"}
PATH = "/v1/chat/completions"


def response_with(content: Any, **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content, **more}}]}


def endpoint(server: HTTPServer, **bounds: Any) -> ChatEndpoint:
    place = Place(server.url_for("/v1/"), "m", "hush")
    return ChatEndpoint(place, ReplyBounds(**bounds))


def test_the_call_is_what_endpoints_expect(httpserver: HTTPServer) -> None:
    """Model, messages, key and the schema are sent; the content comes back."""
    httpserver.expect_request(PATH, method="POST").respond_with_json(response_with('{"steps": []}'))
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, SCHEMA).text == '{"steps": []}'
    request = httpserver.log[0][0]
    body = request.get_json()
    assert body["model"] == "m"
    assert body["messages"][1] == {"role": "user", "content": "a request"}
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert request.headers["Authorization"] == "Bearer hush"


def test_content_may_be_parts(httpserver: HTTPServer) -> None:
    """The text of a content in parts is read."""
    parts = [{"type": "reasoning"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    httpserver.expect_request(PATH).respond_with_json(response_with(parts))
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, SCHEMA).text == "ab"


@pytest.mark.parametrize("status", [400, 404, 415, 422, 501])
def test_without_the_schema_where_it_is_refused(httpserver: HTTPServer, status: int) -> None:
    """An endpoint that refuses the format is asked without it, and not offered it again."""

    def answer(request: Request) -> Response:
        if "response_format" in request.get_json():
            return Response('{"error": {"message": "unknown field"}}', status)
        return Response('{"choices": [{"message": {"content": "plain"}}]}')

    httpserver.expect_request(PATH).respond_with_handler(answer)
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, SCHEMA).text == "plain"
        assert chat_endpoint.reply(ASKED, SCHEMA).text == "plain"
    assert len(httpserver.log) == 3


def test_questions_are_offered_as_tools(httpserver: HTTPServer) -> None:
    """Tools go with the schema; an endpoint that knows no tools is asked with the schema alone."""
    tools = [{"type": "function", "function": {"name": "find_tool", "parameters": {}}}]

    def answer(request: Request) -> Response:
        if "tools" in request.get_json():
            return Response('{"error": {"message": "no tools here"}}', 400)
        return Response('{"choices": [{"message": {"content": "plain"}}]}')

    httpserver.expect_request(PATH).respond_with_handler(answer)
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, SCHEMA, tools=tools).text == "plain"
        assert chat_endpoint.reply(ASKED, SCHEMA, tools=tools).text == "plain"
    bodies = [request.get_json() for request, _ in httpserver.log]
    assert [("tools" in body, "response_format" in body) for body in bodies] == [
        (True, True),
        (False, True),
        (False, True),
    ]


def test_busy_endpoint_is_asked_again(httpserver: HTTPServer) -> None:
    """A busy endpoint is asked a second time."""
    httpserver.expect_ordered_request(PATH).respond_with_data("", 503)
    httpserver.expect_ordered_request(PATH).respond_with_json(response_with("now"))
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, SCHEMA).text == "now"


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (Response('{"error": {"message": "no such key"}}', 401), "refused", "401: no such key"),
        (Response('{"error": "overloaded"}', 429), "busy", "429: overloaded"),
        (Response("<html>oops</html>", 500), "failed", "500"),
        (Response("<html>hello</html>", 200), "garbled", "<html>hello</html>"),
        (Response("[1]", 200), "garbled", "no JSON object"),
        (Response("{}", 200), "garbled", "choices"),
        (Response('{"choices": []}', 200), "garbled", "choices"),
        (Response('{"choices": [7]}', 200), "garbled", "choices"),
        (Response('{"choices": [{"message": {"content": null}}]}', 200), "empty", "nothing"),
        (Response('{"choices": [{"message": {"content": "  "}}]}', 200), "empty", "nothing"),
        (
            Response('{"choices": [{"message": {"content": null, "refusal": "I will not"}}]}', 200),
            "empty",
            "I will not",
        ),
        (Response("", 302, {"Location": "http://elsewhere.example/"}), "garbled", "redirects"),
        (Response("x" * 20_000, 200), "too-large", "larger than 10,000 bytes"),
    ],
)
def test_every_failure_is_named(
    httpserver: HTTPServer, answer: Response, kind: str, words: str
) -> None:
    """Every failure of an endpoint has a reason without the key."""
    httpserver.expect_request(PATH).respond_with_handler(lambda _: answer)
    with (
        closing(endpoint(httpserver, answer_bytes=10_000)) as chat_endpoint,
        pytest.raises(DrafterError) as caught,
    ):
        chat_endpoint.reply(ASKED, SCHEMA)
    assert caught.value.kind == kind
    assert words in str(caught.value)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"Content-Length: 900", "unreachable"),
        (b"Transfer-Encoding: chunked", "unreachable"),
        (b"Content-Encoding: gzip", "garbled"),
    ],
)
def test_an_answer_that_breaks_off_is_named(head: bytes, kind: str) -> None:
    """An endpoint ends in the middle of an answer, or sends one that cannot be unpacked."""
    with (
        serve_bytes(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n{") as url,
        closing(ChatEndpoint(Place(url, "m"), ReplyBounds(calls=1))) as chat_endpoint,
        pytest.raises(DrafterError) as caught,
    ):
        chat_endpoint.reply(ASKED, SCHEMA)
    assert caught.value.kind == kind


def test_an_answer_that_stops_is_slow(httpserver: HTTPServer) -> None:
    """The head of an answer comes, and a part of the rest."""
    over = threading.Event()

    def part() -> Iterator[bytes]:
        yield b'{"choices": ['
        over.wait(PATIENCE_S)

    httpserver.expect_request(PATH).respond_with_handler(lambda _: Response(part()))
    with (
        closing(endpoint(httpserver, seconds=0.5)) as chat_endpoint,
        pytest.raises(DrafterError) as caught,
    ):
        chat_endpoint.reply(ASKED, SCHEMA)
    over.set()
    assert caught.value.kind == "slow"


def test_unreachable_endpoint_is_reported(httpserver: HTTPServer) -> None:
    """A closed port is unreachable, at once."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with (
        closing(ChatEndpoint(Place(f"http://127.0.0.1:{port}/v1", "m"))) as chat_endpoint,
        pytest.raises(DrafterError) as caught,
    ):
        chat_endpoint.reply(ASKED, SCHEMA)
    assert caught.value.kind == "unreachable"


def test_silence_and_trickle_end_in_time() -> None:
    """An endpoint that never answers, or a byte at a time, is ended when its time is up."""
    for trickle in (False, True):
        with socket.create_server(("127.0.0.1", 0)) as server:
            thread = threading.Thread(target=_trickle, args=(server, trickle), daemon=True)
            thread.start()
            url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
            with (
                closing(ChatEndpoint(Place(url, "m"), ReplyBounds(seconds=0.6))) as chat_endpoint,
                pytest.raises(DrafterError) as caught,
            ):
                chat_endpoint.reply(ASKED, SCHEMA)
            assert caught.value.kind == "slow"
            # Only who was given up ends.
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


def _trickle(server: socket.socket, trickle: bool) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        if trickle:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        try:
            # Until whoever asked has closed the connection.
            while trickle or connection.recv(65_536):
                connection.sendall(b"x")
                time.sleep(0.05)
        except OSError:
            return
