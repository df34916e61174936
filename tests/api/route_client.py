"""A route as a client goes through it."""

from __future__ import annotations

from typing import Any

from tests.api.conftest import Served


def open_route(served: Served, request: str, tools: Any, **facts: Any) -> dict[str, Any]:
    body = {"request": request, **facts}
    return post(served, "/v1/route", body if tools is None else {**body, "tools": tools})


def send_reply(served: Served, asked: dict[str, Any], reply: Any) -> dict[str, Any]:
    return post(served, f"/v1/route/{asked['route']}/reply", {"reply": reply})


def send_result(served: Served, called: dict[str, Any], **result: Any) -> dict[str, Any]:
    body = {"result": {"call": called["call"]["id"], **result}}
    return post(served, f"/v1/route/{called['route']}/reply", body)


def post(served: Served, path: str, body: Any) -> dict[str, Any]:
    answer = served.client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    value: dict[str, Any] = answer.json()
    return value


def calls(*made: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"tool_calls": [{"tool": name, "arguments": given} for name, given in made]}
