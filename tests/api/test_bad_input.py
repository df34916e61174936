from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.ir.options import Limits
from grounded_builder.storage import database
from tests.api.conftest import Serve, Served
from tests.support import catalogs
from tests.support.time_bounds import limit_cpu_time

pytestmark = pytest.mark.sqlite_suffices

_DEEP = b'{"workflow": ' + b'{"a": ' * 10_000 + b"1" + b"}" * 10_001


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "empty-body"),
        (b" \n ", 400, "empty-body"),
        (b"hello", 400, "not-json"),
        (b'{"workflow": {"nodes": [', 400, "not-json"),
        (b"\xff\xfe\x00\x01", 400, "not-json"),
        (b'{"workflow": NaN}', 400, "not-json"),
        (b"[1]", 400, "not-an-object"),
        (b"7", 400, "not-an-object"),
        (b"{}", 400, "no-draft"),
        (b'{"workflow": {}, "draft": ""}', 400, "no-draft"),
        (_DEEP, 400, "too-deep"),
        (b'{"draft": "' + b"x" * 10_000_000 + b'"}', 413, "too-large"),
        (b'{"workflow": {}, "key": 7}', 400, "bad-argument"),
    ],
    ids=lambda value: value[:12].decode("latin-1") if isinstance(value, bytes) else None,
)
def test_a_bad_body_is_one_clear_error(
    shared_server: Served, body: bytes, status: int, code: str
) -> None:
    """The answer to every unusable body has the error shape, comes soon and states what to do."""
    for verb in ("validate", "repair", "build"):
        with limit_cpu_time(5):
            answer = shared_server.client.post(f"/v1/n8n/{verb}", content=body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
        assert answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("domain", "sent"), [("n8n", "workflow"), ("simulink", "base64"), ("tools", "plan")]
)
def test_the_error_for_a_body_without_a_draft_states_what_to_send(
    domain: str, sent: str, shared_server: Served
) -> None:
    """The help names what drafts of the domain are sent as, and no other's."""
    error = shared_server.client.post(f"/v1/{domain}/validate", json={}).json()["error"]
    assert error["code"] == "no-draft"
    assert sent in error["help"]
    assert ("workflow" in error["help"]) == (domain == "n8n")


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("simulink/jobs", "plan"),
        ("simulink/jobs/lease", "worker"),
        ("n8n/sessions", "request"),
        ("n8n/generate", "request"),
        ("n8n/validate", "workflow"),
        ("n8n/resolve", "text"),
        ("n8n/import", "workflow"),
        ("tokens", "scopes"),
        ("aliases", "action"),
        ("route", "request"),
    ],
)
def test_error_states_body_that_route_takes(shared_server: Served, path: str, field: str) -> None:
    """The error for a body that is no JSON object states what this route takes."""
    for body in (b"[1]", b"hello", b""):
        error = shared_server.client.post(f"/v1/{path}", content=body).json()["error"]
        assert field in error["help"]
        assert ("workflow" in error["help"]) == (field == "workflow")


def _nest_objects(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


@pytest.mark.parametrize(
    ("draft", "name"),
    [
        ("", "no-document"),
        ("x" * 100_000, "no-document"),
        ("{" * 10_000, "too-deep"),
        ("[" * 3_000_000, "too-large"),
        ({}, "wrong-document"),
        ([], "wrong-document"),
        (None, "wrong-document"),
        (17, "wrong-document"),
        ({"nodes": "none"}, "wrong-document"),
        (_nest_objects(300), "too-deep"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_bad_draft_is_a_finding(shared_server: Served, draft: Any, name: str) -> None:
    """A draft that is no workflow is a wrong document in every process, never a server error."""
    answer = shared_server.client.post("/v1/n8n/validate", json={"draft": draft})
    assert answer.status_code == 200, answer.text
    report = answer.json()
    assert report["verdict"] == "wrong"
    assert name in [diagnostic["name"] for diagnostic in report["diagnostics"]]


def test_a_lone_surrogate_is_text_like_any(shared_server: Served) -> None:
    """Half an emoji, as cut-off text has it, is carried through."""
    workflow = catalogs.workflow()
    workflow["nodes"][0]["notes"] = "\ud83d"
    for verb in ("validate", "repair", "build"):
        answer = shared_server.client.post(
            f"/v1/n8n/{verb}",
            content=json.dumps({"workflow": workflow}).encode(),
        )
        assert answer.status_code == 200, (verb, answer.text)
        assert answer.json()["verdict"] == "ok"


def test_a_draft_that_takes_too_long_is_ended(serve: Serve) -> None:
    """Beyond the deadline the process that compiles is killed and the client told."""
    hasty = serve(inline_bytes=0, deadline_s=0.001)
    hasty.load()
    answer = hasty.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "deadline-exceeded")


def test_unknown_places_have_the_error_shape(shared_server: Served) -> None:
    """An unknown route, method, domain or argument is answered in the one error shape."""
    for method, path, status in (
        ("GET", "/v2/nothing", 404),
        ("DELETE", "/v1/n8n/validate", 405),
        ("GET", "/v1/cobol/tools", 404),
        ("POST", "/v1/cobol/validate", 404),
        ("GET", "/v1/n8n/tools?limit=zero", 422),
        ("GET", "/v1/n8n/catalog/diff?old=abcdef&new=123456", 404),
    ):
        answer = shared_server.client.request(method, path)
        assert answer.status_code == status, path
        assert set(answer.json()["error"]) >= {"code", "message", "help"}


def test_a_locked_database_is_reported(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another program writes, loading is refused in bounded time; judging continues."""
    served = serve()
    served.load()
    monkeypatch.setattr("grounded_builder.storage.database.BUSY_SECONDS", 0.2)
    with database.begin_write(served.state.store.engine):
        answer = served.load(catalogs.acme_bytes(origin="login"))
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "database-locked")
        report = served.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()})
        assert report.json()["verdict"] == "ok"
    assert served.load(catalogs.acme_bytes(origin="login")).status_code == 200


def test_limits_are_settings(serve: Serve) -> None:
    """The largest draft and the deepest nesting follow the settings."""
    strict = serve(limits=replace(Limits(), draft_bytes=100_000, depth=5))
    strict.load()
    large = {"workflow": {"nodes": [], "x": "y" * 300_000}}
    assert strict.client.post("/v1/n8n/validate", json=large).status_code == 413
    report = strict.client.post("/v1/n8n/validate", json={"workflow": catalogs.workflow()}).json()
    assert report["diagnostics"][0]["name"] == "too-deep"
