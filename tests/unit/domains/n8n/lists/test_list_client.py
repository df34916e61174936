"""Lists of an n8n that fails: expired sessions, endless pages, large, slow and misled answers."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from grounded_builder.domains.n8n.lists.list_client import (
    ListBounds,
    ListClient,
    ListEntry,
    ListError,
    ListQuestion,
    Login,
)

LOCATOR = "/rest/dynamic-node-parameters/resource-locator-results"
OPTIONS = "/rest/dynamic-node-parameters/options"
QUESTION = ListQuestion("locator", "acme.tables", 1, "parameters.base", "getBases", {}, {})
PASSWORD = "Secret-of-owner-91"


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    """An n8n that accepts the login, with a cookie that browsers send only over HTTPS."""
    cookie = {"Set-Cookie": "n8n-auth=session-1; Path=/; HttpOnly; Secure"}
    httpserver.expect_request("/rest/login", method="POST").respond_with_json(
        {"data": {}}, headers=cookie
    )
    httpserver.expect_request("/rest/projects/personal").respond_with_json({"data": {"id": "p1"}})
    return httpserver


@pytest.fixture
def client(server: HTTPServer) -> Iterator[ListClient]:
    """A client with small bounds."""
    # Sessions are kept per user: every test has a user of its own.
    email = f"owner-{time.monotonic_ns()}@acme.test"
    bounds = ListBounds(call_s=1, whole_s=5, answer_bytes=20_000, pages=3, entries=250)
    login = Login(server.url_for("").rstrip("/"), email, PASSWORD)
    with ListClient(login, bounds) as made:
        yield made


def _page(count: int, token: Any = None) -> dict[str, Any]:
    entries = [{"name": f"Base {number}", "value": f"b{number}"} for number in range(count)]
    return {"data": {"results": entries, "paginationToken": token}}


def _count_calls(server: HTTPServer, path: str) -> int:
    return sum(request.path == path for request, _ in server.log)


def test_a_secure_cookie_is_sent_and_the_question_has_the_node(
    server: HTTPServer, client: ListClient
) -> None:
    """n8n gets the node, the path, the method and the project, as from its editor."""
    server.expect_request(LOCATOR).respond_with_json(_page(1))
    assert client.list_entries(QUESTION).entries == (ListEntry("b0", "Base 0"),)
    request = next(request for request, _ in server.log if request.path == LOCATOR)
    assert request.headers["Cookie"] == "n8n-auth=session-1"
    assert request.json == {
        "path": "parameters.base",
        "nodeTypeAndVersion": {"name": "acme.tables", "version": 1},
        "currentNodeParameters": {},
        "methodName": "getBases",
        "projectId": "p1",
    }


def test_an_expired_session_is_renewed_once(server: HTTPServer, client: ListClient) -> None:
    """Further calls use the new session; n8n limits logins."""
    server.expect_request(LOCATOR).respond_with_json(_page(1))
    client.list_entries(QUESTION)
    server.clear_log()
    server.expect_ordered_request(LOCATOR).respond_with_json({"message": "Unauthorized"}, 401)
    server.expect_ordered_request("/rest/login").respond_with_json(
        {"data": {}}, headers={"Set-Cookie": "n8n-auth=session-2; Path=/"}
    )
    server.expect_ordered_request(LOCATOR).respond_with_json(_page(2))
    assert len(client.list_entries(QUESTION).entries) == 2
    assert server.log[-1][0].headers["Cookie"] == "n8n-auth=session-2"


def test_pages_end(server: HTTPServer, client: ListClient) -> None:
    """A list that always has a next page is read up to the limit, and counts as incomplete."""
    server.expect_request(LOCATOR).respond_with_json(_page(10, token=7))
    listed = client.list_entries(QUESTION)
    assert (len(listed.entries), listed.is_complete) == (30, False)
    assert _count_calls(server, LOCATOR) == 3


def test_a_large_answer_is_refused(server: HTTPServer, client: ListClient) -> None:
    """The rest of it is not read."""
    server.expect_request(LOCATOR).respond_with_json(_page(1_000))
    with pytest.raises(ListError, match=r"larger than 20,000 bytes"):
        client.list_entries(QUESTION)


def test_a_slow_answer_ends_in_time(server: HTTPServer, client: ListClient) -> None:
    """A service that does not answer costs the time of one call."""

    def wait(_: Request) -> Response:
        time.sleep(1.4)
        return Response(json.dumps(_page(1)))

    server.expect_request(LOCATOR).respond_with_handler(wait)
    began = time.monotonic()
    with pytest.raises(ListError, match="did not answer within 1 s"):
        client.list_entries(QUESTION)
    assert time.monotonic() - began < 1.35


def test_no_redirect_is_followed(server: HTTPServer, client: ListClient) -> None:
    """The session is sent to the configured host alone."""
    other = {"Location": server.url_for("/elsewhere")}
    server.expect_request(LOCATOR).respond_with_data("", 302, headers=other)
    with pytest.raises(ListError, match="status 302"):
        client.list_entries(QUESTION)
    assert _count_calls(server, "/elsewhere") == 0


def test_answers_without_a_list_are_errors_or_empty(server: HTTPServer, client: ListClient) -> None:
    """Entries of another shape, without a value or of an immense length, are left out."""
    server.expect_oneshot_request(LOCATOR).respond_with_data("[" * 5_000)
    with pytest.raises(ListError, match="no JSON object"):
        client.list_entries(QUESTION)
    entries = [None, "x", {}, {"value": ""}, {"value": "y" * 501}, {"value": {"a": 1}}]
    wrong = {"data": {"results": [*entries, {"value": 5, "name": "a\u202eb\nc" * 100}]}}
    server.expect_oneshot_request(LOCATOR).respond_with_json(wrong)
    (entry,) = client.list_entries(QUESTION).entries
    assert entry.value == 5
    assert entry.name.isprintable()
    assert len(entry.name) <= 300


def test_a_wrong_password_is_stated_without_it(httpserver: HTTPServer) -> None:
    """Not even an answer that repeats the password brings it into the message."""
    httpserver.expect_request("/rest/login").respond_with_json(
        {"message": f"Wrong username or password: {PASSWORD}"}, 401
    )
    login = Login(httpserver.url_for("").rstrip("/"), "wrong@acme.test", PASSWORD)
    with ListClient(login) as client, pytest.raises(ListError) as caught:
        client.list_entries(QUESTION)
    assert caught.value.is_general
    assert "wrong@acme.test" in str(caught.value)
    assert PASSWORD not in str(caught.value)


def test_options_of_a_declared_request_need_no_method(
    server: HTTPServer, client: ListClient
) -> None:
    """n8n then takes the request from the declaration of the parameter."""
    server.expect_request(OPTIONS).respond_with_json({"data": [{"name": "One", "value": 1}]})
    question = ListQuestion("options", "acme.tables", 1, "parameters.model", "", {}, {})
    assert client.list_entries(question).entries == (ListEntry(1, "One"),)
    request = server.log[-1][0]
    assert request.json["loadOptions"] == {}
    assert "methodName" not in request.json
