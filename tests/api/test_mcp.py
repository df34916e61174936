"""The sidecar as an MCP server, asked by the SDK's own client over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client

from tests.api.conftest import Serve, Served
from tests.support import catalogs
from tests.support.mcp_clients import (
    call_and_fail,
    call_successfully,
    list_published_tools,
    run_over_http,
)
from tests.support.tool_lists import make_desk_tools

pytestmark = pytest.mark.sqlite_suffices

OFFERED = [
    "find_tool", "get_tool", "resolve", "validate", "repair", "build", "rehearse",
    "import", "generate",
]  # fmt: skip
PLAN = {
    "goal": "greet",
    "steps": [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {
            "id": "mail",
            "tool": catalogs.MAIL,
            "params": {"resource": "message", "operation": "send", "to": "a@b.example"},
        },
    ],
}


@pytest.fixture(scope="module")
def both(shared_server: Served) -> Served:
    """A server with a catalog of each of two domains."""
    loaded = shared_server.client.put("/v1/tools/catalog", content=json.dumps(make_desk_tools()))
    assert loaded.status_code == 200
    return shared_server


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_mcp_lists_tools_with_schemas(both: Served, mode: str) -> None:
    """Clients of either era of the protocol see the tools, each described and typed."""
    tools = run_over_http(f"{both.url}/mcp", both.token, list_published_tools, mode)
    assert [tool["name"] for tool in tools] == OFFERED
    for item in tools:
        assert item["description"]
        assert item["inputSchema"]["type"] == "object"
        assert "context" not in item["inputSchema"]["properties"]


def test_finding_and_looking_are_short(both: Served) -> None:
    """A tool is found by what it does, shown closely, and a name is resolved, in few bytes."""

    async def work(client: Client) -> list[dict[str, Any]]:
        return [
            await call_successfully(client, "find_tool", query="send a message", limit=3),
            await call_successfully(client, "get_tool", tool=catalogs.MAIL),
            await call_successfully(client, "resolve", name="Acme Mail"),
            await call_successfully(client, "find_tool", query="move files", domain="tools"),
            await call_successfully(client, "resolve", name="create_folder", domain="tools"),
        ]

    value, shown, resolved, other, unknown = _on(both, work)
    assert catalogs.MAIL in [tool["tool"] for tool in value["tools"]]
    assert shown["tool"] == catalogs.MAIL
    assert (resolved["status"], resolved["tool"]) == ("resolved", catalogs.MAIL)
    assert other["tools"][0]["tool"] == "organize_files"
    assert (unknown["status"], unknown["candidates"][0]["tool"]) == ("unknown", "organize_files")
    assert all(len(json.dumps(item)) < 3_000 for item in (value, shown, resolved, other, unknown))


def test_draft_is_validated_repaired_and_built(both: Served) -> None:
    """Errors are reported with a remedy, and a valid draft is built and signed."""
    wrong = {"steps": [{"tool": "create_folder", "params": {}}]}
    loose = [{"tool": "take_screenshot", "arguments": {"docPath": "/a.pdf"}}]

    async def work(client: Client) -> list[dict[str, Any]]:
        return [
            await call_successfully(client, "validate", draft=wrong, domain="tools"),
            await call_successfully(client, "validate", draft=json.dumps(wrong), domain="tools"),
            await call_successfully(client, "repair", draft=loose, domain="tools"),
            await call_successfully(client, "build", draft=PLAN, key="k"),
        ]

    judged, as_text, repaired, built = _on(both, work)
    assert judged["findings"][0]["alternatives"][0] == "organize_files"
    assert as_text["findings"] == judged["findings"]
    assert repaired["verdict"] == "ok"
    assert len(repaired["fixes"]) == 1
    assert built["artifact"]["nodes"][1]["type"] == catalogs.MAIL
    assert built["receipt"]["verdict"] == built["verdict"]


def test_a_request_is_made_into_an_artifact(both: Served) -> None:
    """Generate answers with the artifact, its open points, and the recorded run."""
    request = "When the Acme hook is called, send a message by Acme Mail"

    async def work(client: Client) -> dict[str, Any]:
        return await call_successfully(client, "generate", request=request)

    made = _on(both, work)
    assert made["outcome"] in ("built", "incomplete")
    assert made["artifact"] is not None
    assert both.client.get(f"/v1/runs/{made['run']}").status_code == 200


def test_an_import_without_its_receipt_is_refused(both: Served) -> None:
    """The guard is the same as everywhere: no receipt for exactly this, no import."""

    async def work(client: Client) -> tuple[dict[str, Any], dict[str, Any]]:
        built = await call_successfully(client, "build", draft=PLAN, key="k")
        changed = {**built["artifact"], "name": "another"}
        forged = await call_successfully(
            client, "import", artifact=changed, receipt=built["receipt"]
        )
        whole = await call_successfully(
            client, "import", artifact=built["artifact"], receipt=built["receipt"]
        )
        return forged, whole

    forged, whole = _on(both, work)
    assert forged["outcome"] in ("refused", "failed")
    # No n8n is configured here: what is right fails there, and says so.
    assert whole["outcome"] == "failed"
    assert whole["findings"][0]["code"] == "N8N501"


def test_invalid_call_is_error_result(both: Served) -> None:
    """An unknown domain, an unknown tool and a bad argument are results that a model can act on."""

    async def work(client: Client) -> list[str]:
        return [
            await call_and_fail(client, "find_tool", query="x", domain="cad"),
            await call_and_fail(client, "get_tool", tool="organise_files", domain="tools"),
            await call_and_fail(client, "find_tool", query="x", limit=0),
            await call_and_fail(client, "validate", draft={}, domain="nowhere"),
        ]

    domain, tool, limit, nowhere = _on(both, work)
    assert "known: n8n" in domain
    assert "organize_files" in tool
    assert "limit" in limit
    assert "no domain" in nowhere


@pytest.mark.parametrize(
    ("tool", "arguments", "parts"),
    [
        ("find_tool", {}, ["find_tool", '"query"', "missing", "a text"]),
        ("find_tool", {"query": "x", "limit": 0}, ['"limit"', "is 0", "whole number from 1 to 50"]),
        ("find_tool", {"query": "x", "limit": "many"}, ['"limit"', '"many"', "whole number"]),
        ("validate", {"draft": 3}, ['"draft"', "is 3", "an object or a list or a text"]),
        ("validate", {"draft": {}, "polcy": {}}, ['no argument "polcy"', 'use "policy"']),
        ("import", {"artifact": [], "receipt": 1}, ['"artifact"', "a list", '"receipt"', "is 1"]),
        ("get_tol", {"tool": "x"}, ['no tool "get_tol"', "get_tool"]),
    ],
)
def test_a_wrong_argument_is_named_with_what_to_give(
    both: Served, tool: str, arguments: dict[str, Any], parts: list[str]
) -> None:
    """The answer names the tool, the argument and what it takes, and nothing of the library."""

    async def work(client: Client) -> str:
        return await call_and_fail(client, tool, **arguments)

    message = _on(both, work)
    assert all(part in message for part in parts), message
    assert "pydantic" not in message
    assert "input_type" not in message
    assert "\n" not in message


def test_arguments_that_clients_add_are_ignored(both: Served) -> None:
    """An argument of the client itself, unlike any of the tool, does not stop the call."""

    async def work(client: Client) -> dict[str, Any]:
        return await call_successfully(client, "find_tool", query="mail", toolCallId="c1")

    assert _on(both, work)["tools"]


def test_scopes_of_token_apply(both: Served) -> None:
    """A call without a token is refused, and a token with the scope validate cannot build."""
    with both.bare() as stranger:
        assert stranger.post("/mcp", json={}).status_code == 401
    made = both.client.post("/v1/tokens", json={"label": "reader", "scopes": ["validate"]})
    secret = made.json()["token"]

    async def work(client: Client) -> tuple[dict[str, Any], str]:
        entries = await call_successfully(client, "find_tool", query="mail")
        return entries, await call_and_fail(client, "build", draft=PLAN)

    entries, no = run_over_http(f"{both.url}/mcp", secret, work)
    assert entries["tools"]
    assert "no scope draft" in no


DENYING = {"denied": [catalogs.MAIL]}


@pytest.mark.parametrize("source", ["token", "request"])
def test_every_tool_keeps_the_policy_of_token_and_request(serve: Serve, source: str) -> None:
    """Every tool that checks or builds refuses what the policy of a token or request denies."""
    # An n8n that does not answer: what is to be imported is judged all the same.
    server = serve(n8n_url="http://127.0.0.1:9", n8n_api_key="key")
    assert server.load().status_code == 200
    from_token = source == "token"
    wish = {"label": "narrow", "scopes": ["validate", "draft", "import"]}
    made = server.client.post("/v1/tokens", json=wish | ({"policy": DENYING} if from_token else {}))
    secret = made.json()["token"]
    more: dict[str, Any] = {} if from_token else {"policy": DENYING}
    constraints: dict[str, Any] = {} if from_token else DENYING
    open_build = server.client.post("/v1/n8n/build", json={"draft": PLAN, "key": "k"}).json()

    async def work(client: Client) -> list[dict[str, Any]]:
        artifact, receipt = open_build["artifact"], open_build["receipt"]
        return [
            await call_successfully(client, "validate", draft=PLAN, **more),
            await call_successfully(client, "repair", draft=PLAN, **more),
            await call_successfully(client, "build", draft=PLAN, key="k", **more),
            await call_successfully(client, "import", artifact=artifact, receipt=receipt, **more),
            await call_successfully(
                client,
                "generate",
                request="When the Acme hook is called, send a message by Acme Mail",
                constraints=constraints,
            ),
        ]

    *judged, generated = run_over_http(f"{server.url}/mcp", secret, work)
    for answer in judged:
        assert "GB401" in [finding["code"] for finding in answer["findings"]], answer
    assert judged[2]["artifact"] is None
    assert catalogs.MAIL not in json.dumps(generated["artifact"])


def test_a_policy_in_no_shape_is_reported(both: Served) -> None:
    """A switch that does not exist is named, and nothing is built."""

    async def work(client: Client) -> tuple[str, str]:
        return (
            await call_and_fail(client, "build", draft=PLAN, policy={"no_cod": True}),
            await call_and_fail(
                client, "generate", request="x", constraints={"allowed_hosts": [1]}
            ),
        )

    build, generate = _on(both, work)
    assert "no_cod" in build
    assert "allowed_hosts" in generate


def _on(served: Served, work: Any) -> Any:
    return run_over_http(f"{served.url}/mcp", served.token, work)
