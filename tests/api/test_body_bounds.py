"""Bodies are decoded only where that is bounded in time and memory."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from grounded_builder.interfaces.http import request_body
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.request_body import MOST_VALUES, payload_of
from tests.api.conftest import Served

pytestmark = pytest.mark.sqlite_suffices

_WIDE = b"[[]" + b",[]" * (MOST_VALUES // 2) + b"]"
_MCP = {"Accept": "application/json, text/event-stream"}


def _bodies(served: Served) -> list[tuple[str, str, bytes]]:
    """A body that is too wide for each route that takes JSON, by the document of the API."""
    filled = {"domain": "n8n", "session": "x", "route": "x", "job": "x", "tool_id": "a.b"}
    bodies = []
    for path, methods in served.client.get("/openapi.json").json()["paths"].items():
        for method, operation in methods.items():
            if "application/json" in operation.get("requestBody", {}).get("content", {}):
                bodies.append((method, path.format(**filled), b'{"x":' + _WIDE + b"}"))
    return bodies


def test_no_route_decodes_more_values_than_any_document_has(
    shared_server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every route refuses a body of too many values by name, before it is decoded."""
    largest = 0
    loaded = request_body._load

    def watch_body(body: bytes) -> Any:
        nonlocal largest
        largest = max(largest, len(body))
        return loaded(body)

    monkeypatch.setattr(request_body, "_load", watch_body)
    bodies = _bodies(shared_server)
    assert len(bodies) > 15
    for method, path, raw in [*bodies, ("post", "/mcp", b'{"x":' + _WIDE + b"}")]:
        answer = shared_server.client.request(method, path, content=raw, headers=_MCP)
        if path.endswith(("/validate", "/repair", "/build")):
            continue  # decoded in a process of its own, where more is bounded
        assert answer.status_code == 413, (path, answer.text)
        assert answer.json()["error"]["code"] in ("too-many-values", "too-large"), path
    assert largest < len(_WIDE)


@pytest.mark.parametrize("way", ["a text", "escapes in a text"])
def test_a_text_that_the_protocol_reads_as_json_is_bounded(shared_server: Served, way: str) -> None:
    """Values inside strings of an MCP message count, because the library decodes them too."""
    mark = "[]," if way == "a text" else "\\u005b],"
    text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"validate","arguments":'
    raw = (text + '{"draft":"[' + mark * 100_000 + '[]]"}}}').encode()
    answer = shared_server.client.post("/mcp", content=raw, headers=_MCP)
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "too-many-values"


def test_many_faults_of_a_shape_are_counted_and_not_listed(shared_server: Served) -> None:
    """A body with tens of thousands of wrong values has one error."""
    body = {"workflow": {}, "samples": {"a": [1] * 50_000}}
    answer = shared_server.client.post("/v1/n8n/trial", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == "50,000 of its values are wrong"


@pytest.mark.parametrize("text", ["", "a=b", "payload=", "payload=%20", "a=payload=1"])
def test_a_form_without_a_payload_is_refused(text: str) -> None:
    """The field is named in the error."""
    with pytest.raises(ApiError, match="no field payload"):
        payload_of(text.encode())


@pytest.mark.parametrize("shift", range(4))
def test_a_form_is_decoded_in_chunks(shift: int) -> None:
    """Escapes are whole wherever chunks end, and the memory is a small multiple of the text."""
    text = "x" * shift + "é, %2" * 40_000
    escaped = "x" * shift + "%C3%A9%2C+%252" * 40_000
    tracemalloc.start()
    try:
        decoded = payload_of(f"a=1&payload={escaped}&b=2".encode())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert decoded.decode() == text
    assert peak < 12 * len(escaped)
