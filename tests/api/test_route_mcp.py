"""A real MCP server as a catalog: its tools listed, a wrong call blocked, a right one made."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from mcp import Client

from tests.api.conftest import Served
from tests.api.route_client import post
from tests.support.mcp_clients import call_successfully, list_published_tools, run_over_stdio

pytestmark = pytest.mark.sqlite_suffices

SERVER = (sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC")


@pytest.fixture(scope="module")
def tools() -> list[dict[str, Any]]:
    """The tools of the server from the package index that the tests install."""
    return run_over_stdio(*SERVER, work=list_published_tools)


def test_tools_of_mcp_server_are_catalog(
    shared_server: Served, tools: list[dict[str, Any]]
) -> None:
    """The tools of an MCP server are loaded as published, also as whole answers of `tools/list`."""
    assert sorted(tool["name"] for tool in tools) == ["convert_time", "get_current_time"]
    for shape in (tools, {"tools": tools}, {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}):
        loaded = shared_server.client.put("/v1/tools/catalog", content=json.dumps(shape))
        assert loaded.status_code == 200, loaded.text
        assert loaded.json()["catalog"]["tools"] == 2


def test_a_wrong_call_is_blocked(shared_server: Served, tools: list[dict[str, Any]]) -> None:
    """An invented tool and absent, mistyped and unknown arguments are reported before any call."""

    def codes(tool: str, **arguments: Any) -> list[str]:
        plan = [{"id": "step_1", "tool": tool, "inputs": arguments}]
        entries = post(shared_server, "/v1/tools/validate", {"plan": plan, "tools": tools})
        return [diagnostic["code"] for diagnostic in entries["diagnostics"]]

    assert codes("get_time", timezone="Europe/Paris") == ["GB201"]
    assert codes("convert_time", source_timezone="UTC", time="12:00") == ["TLS301"]
    assert codes("get_current_time", timezone=3.5) == ["GB304"]
    assert codes("get_current_time", timezone="UTC", format="iso") == ["TLS302"]
    assert codes("get_current_time", timezone="Europe/Paris") == []


def test_a_right_call_is_routed_and_made(
    shared_server: Served, tools: list[dict[str, Any]]
) -> None:
    """Blocked in round 1, accepted in round 2, made by the server itself, and passed on."""
    body = {"request": "What time is it in Tokyo when it is 12:00 in Paris?", "tools": tools}
    asked = post(shared_server, "/v1/route", body)
    path = f"/v1/route/{asked['route']}/reply"
    invented = {"tool_call": {"tool": "timezone_convert", "arguments": {"to": "Tokyo"}}}
    again = post(shared_server, path, {"reply": invented})
    assert (again["status"], again["round"]) == ("ask", 2)
    assert "convert_time" in again["messages"][-1]["content"]
    paris, tokyo = "Europe/Paris", "Asia/Tokyo"
    calls = [
        {"tool": "get_current_time", "arguments": {"timezone": paris}},
        {
            "tool": "convert_time",
            "arguments": {
                "source_timezone": "{{call_1.timezone}}",
                "time": "12:00",
                "target_timezone": tokyo,
            },
        },
    ]
    answer = post(shared_server, path, {"reply": {"tool_calls": calls}})

    async def make(client: Client) -> dict[str, Any]:
        now = answer
        while now["status"] == "call":
            call = now["call"]
            output = await call_successfully(client, call["tool"], **call["arguments"])
            now = post(shared_server, path, {"result": {"call": call["id"], "output": output}})
        return now

    done = run_over_stdio(*SERVER, work=make)
    assert done["outcome"] == "executed"
    assert [call["tool"] for call in done["calls"]] == ["get_current_time", "convert_time"]
    assert done["calls"][1]["arguments"]["source_timezone"] == paris
    assert done["calls"][1]["output"]["target"]["timezone"] == tokyo
