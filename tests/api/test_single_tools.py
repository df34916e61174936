"""Single tools put beside those of the catalog, and removed again."""

from __future__ import annotations

import pytest

from tests.api.conftest import Served
from tests.api.test_aliases import PUT, code, plan, put_line, resolve_name, show_tool
from tests.support import catalogs


@pytest.fixture
def loaded_server(empty: Served) -> Served:
    assert empty.load().status_code == 200
    return empty


def test_a_tool_is_put_and_removed_while_running(loaded_server: Served) -> None:
    """A put tool is used at once, and a receipt from before it is one of another catalog."""
    before = resolve_name(loaded_server, "x")["catalog"]
    assert show_tool(loaded_server).status_code == 404
    put = loaded_server.client.put(f"/v1/n8n/tools/{PUT}", json=put_line())
    assert put.status_code == 200, put.text
    assert put.json()["overlay"] == [PUT]
    built = loaded_server.client.post(
        "/v1/n8n/build", json={"draft": plan("Acme Telegraph")}
    ).json()
    assert built["receipt"]["catalog"] == put.json()["fingerprint"] != before
    removed = loaded_server.client.delete(f"/v1/n8n/tools/{PUT}")
    assert removed.json()["fingerprint"] == before
    assert show_tool(loaded_server).status_code == 404
    assert code(loaded_server.client.delete(f"/v1/n8n/tools/{PUT}")) == (404, "unknown-tool")


def test_an_unusable_tool_is_refused(shared_server: Served) -> None:
    """A tool of the catalog, an unsound line and another id than the address's are refused."""
    path = f"/v1/n8n/tools/{catalogs.MAIL}"
    assert code(shared_server.client.put(path, json=catalogs.mail())) == (409, "tool-exists")
    assert code(shared_server.client.delete(path)) == (409, "not-overlay")
    for facts, expected in (
        ({"variants": []}, (422, "unsound-catalog")),
        ({"id": "other"}, (400, "bad-argument")),
        ({"id": 7}, (400, "bad-argument")),
    ):
        answer = shared_server.client.put(f"/v1/n8n/tools/{PUT}", json=put_line(**facts))
        assert code(answer) == expected, answer.text
    assert code(shared_server.client.put(f"/v1/n8n/tools/{PUT}", content=b"")) == (
        400,
        "empty-body",
    )
    assert code(shared_server.client.put(f"/v1/cooking/tools/{PUT}", json={})) == (
        404,
        "unknown-domain",
    )
