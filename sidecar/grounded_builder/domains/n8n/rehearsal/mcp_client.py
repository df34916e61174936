"""Calls the tools of an MCP Server Trigger as a client does, over n8n's own route.

The messages are those of https://modelcontextprotocol.io/specification/2025-03-26/basic/transports
(streamable HTTP). Versions before 2 of the trigger answer them at ``/messages``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.rehearsal.answers.examples import example_of
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.execution import Step
from grounded_builder.domains.n8n.rehearsal.webhook_call import WebhookAnswer, choose_login
from grounded_builder.domains.n8n.rehearsal.workflow_copy import WEBHOOK_ID
from grounded_builder.domains.n8n.trial.execution_result import Failure
from grounded_builder.ir.graph import ResolvedNode

MCP_TRIGGER = "@n8n/n8n-nodes-langchain.mcpTrigger"
"""The trigger that offers its tools to clients."""

_PROTOCOL = "2025-03-26"
_SESSION = "mcp-session-id"
_FIRST_WITH_ONE_PATH = 2
_MOST_TOOLS = 50
_SHOWN_ERROR = 300
_MOST_BYTES = 1_000_000
_REGISTERING_S = 10.0
_RETRY_S = 0.1


@dataclass(frozen=True, slots=True)
class McpServer:
    """The address of a server below n8n's own, and the headers of a login.

    ``name`` is the path that the trigger has as its parameter.
    """

    name: str
    path: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a client gets for the call of a tool; ``content`` is the result, or the error."""

    tool: str
    arguments: Mapping[str, Any]
    content: Any
    is_error: bool


def plan_server(bound: ResolvedNode, marks: Sequence[str]) -> McpServer | None:
    """Returns the server of a trigger, None for other triggers and where n8n alone can log in.

    ``marks`` are those of the node's invented credentials.
    """
    if bound.node.tool != MCP_TRIGGER:
        return None
    params = filled_parameters(bound).full
    path = params.get("path")
    login = choose_login(params.get("authentication"), marks)
    if login is None:
        return None
    is_known = isinstance(path, str) and path.strip("/") and not path.startswith("=")
    name = str(path).strip("/") if is_known else WEBHOOK_ID
    ending = "" if (bound.version or 1) >= _FIRST_WITH_ONE_PATH else "/messages"
    return McpServer(name, f"/mcp/{quote(name)}{ending}", login)


def publish_at(workflow: Mapping[str, Any], trigger: str, server: McpServer) -> Mapping[str, Any]:
    """Returns the workflow with the path of the server as that of its trigger.

    The path of a trigger may be open, or an expression that n8n alone can evaluate.
    """
    nodes = [
        {**node, "parameters": {**(node.get("parameters") or {}), "path": server.name}}
        if node["name"] == trigger
        else node
        for node in workflow["nodes"]
    ]
    return {**workflow, "nodes": nodes}


def call_tools(door: Path, server: McpServer, limit_s: float) -> tuple[ToolReply, ...]:
    """Calls each tool of a published server once, with arguments of its own schema.

    Begins no call after ``limit_s``. Raises `EditorError` where the server offers no tools.
    """
    deadline = time.monotonic() + limit_s
    with httpx2.Client(
        transport=httpx2.HTTPTransport(uds=str(door)),
        base_url="http://127.0.0.1",
        timeout=limit_s,
        headers={**server.headers, "accept": "application/json, text/event-stream"},
    ) as client:
        try:
            session = _Session(client, server.path)
            listed = session.ask("tools/list", {}).get("result")
            replies: list[ToolReply] = []
            for tool in _list_tools(listed):
                if time.monotonic() > deadline:
                    replies.append(ToolReply(tool["name"], {}, f"not called in {limit_s} s", True))
                    continue
                try:
                    replies.append(_call_tool(session, tool))
                except httpx2.TimeoutException:
                    text = f"no answer in {limit_s} s"
                    replies.append(ToolReply(tool["name"], {}, text, True))
        except httpx2.HTTPError as error:
            text = str(error) or type(error).__name__
            raise EditorError("the MCP server", text, 504) from error
    return tuple(replies)


def describe_replies(replies: Sequence[ToolReply]) -> WebhookAnswer:
    """Returns what a client gets for all its calls, as JSON."""
    content = [
        {
            "tool": reply.tool,
            "arguments": reply.arguments,
            "error" if reply.is_error else "result": reply.content,
        }
        for reply in replies
    ]
    body = json.dumps(content, ensure_ascii=False).encode()
    return WebhookAnswer(httpx2.codes.OK, "application/json", body)


def find_error(replies: Sequence[ToolReply], steps: Sequence[Step]) -> Failure | None:
    """Returns the failure of the first call that gives an error, at the node that failed."""
    for reply in replies:
        if reply.is_error:
            text = json.dumps(reply.content, ensure_ascii=False)[:_SHOWN_ERROR]
            node = next((step.node for step in steps if step.error), "")
            return Failure(node, f'the tool "{reply.tool}" gives an error: {text}')
    return None


class _Session:
    """A session with a server, begun as soon as n8n knows the server."""

    def __init__(self, client: httpx2.Client, path: str) -> None:
        self._client = client
        self._path = path
        self._number = 0
        self._headers: dict[str, str] = {}
        about = {"name": "rehearsal", "version": "1"}
        self.ask(
            "initialize",
            {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": about},
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the answer to a request; raises `EditorError` where there is none."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        deadline = time.monotonic() + _REGISTERING_S
        while True:
            status, text = self._send(message)
            is_unknown = status == httpx2.codes.NOT_FOUND and "registered" in text
            if not is_unknown or time.monotonic() > deadline:
                break
            time.sleep(_RETRY_S)
        for answer in _read_messages(text):
            if answer.get("id") == self._number:
                return answer
        call = f"{method} of the MCP server"
        raise EditorError(call, f"no answer: {status} {text[:300]}", status)

    def _send(self, message: Mapping[str, Any]) -> tuple[int, str]:
        with self._client.stream("POST", self._path, json=message, headers=self._headers) as answer:
            if _SESSION in answer.headers:
                self._headers[_SESSION] = answer.headers[_SESSION]
            body = b""
            for part in answer.iter_bytes():
                body += part
                if len(body) >= _MOST_BYTES:
                    break
            return answer.status_code, body.decode("utf-8", "replace")


def _call_tool(session: _Session, tool: Mapping[str, Any]) -> ToolReply:
    schema = tool.get("inputSchema")
    given = example_of({"type": "object", **(schema if isinstance(schema, Mapping) else {})}, 1)
    arguments = given if isinstance(given, dict) else {}
    answer = session.ask("tools/call", {"name": tool["name"], "arguments": arguments})
    error, result = answer.get("error"), answer.get("result")
    if not isinstance(result, Mapping):
        return ToolReply(tool["name"], arguments, error, True)
    is_error = result.get("isError") is True
    return ToolReply(tool["name"], arguments, result.get("content"), is_error)


def _list_tools(listed: Any) -> list[Mapping[str, Any]]:
    tools = listed.get("tools") if isinstance(listed, Mapping) else None
    named = [
        tool
        for tool in tools or ()
        if isinstance(tool, Mapping) and isinstance(tool.get("name"), str)
    ]
    if not named:
        raise EditorError("tools/list of the MCP server", "it offers no tools", 404)
    return named[:_MOST_TOOLS]


def _read_messages(text: str) -> list[Mapping[str, Any]]:
    """Returns the messages of an answer, whole or as a stream of events."""
    lines = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    messages: list[Mapping[str, Any]] = []
    for line in lines or [text]:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, Mapping):
            messages.append(message)
    return messages
