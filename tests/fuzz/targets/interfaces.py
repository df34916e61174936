"""Interfaces: HTTP requests to every route of the real application, and MCP messages both ways.

The application runs in the process of the fuzzer, over a database of its own and without a
socket, so that coverage sees it. It is started again after some thousand cases: what cases store
must not make the next ones slow.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from grounded_builder.interfaces.cli.mcp import workplace
from grounded_builder.interfaces.http.app import create_app
from grounded_builder.interfaces.mcp.server import serve_on
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.compiler import Compiler
from grounded_builder.services.isolation.service import CompileProcesses
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import Store
from grounded_builder.storage.tokens import SCOPES
from tests.fuzz.mutation import decode, encode
from tests.fuzz.target import Target
from tests.support import catalogs
from tests.support.jobs import PLAN
from tests.support.samples import make_sample
from tests.support.tool_lists import make_desk_tools

_CASES_EACH = 2_000
_HANG_S = 60.0
_METHOD = re.compile(r"[A-Z]{1,20}")
_JSON = "application/json"
_MCP = "/mcp"
_DOMAINS = ("n8n", "simulink", "tools")
_REQUEST = "When the Acme hook is called, send a message by Acme Mail"
_STEPS = [
    {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
    {"id": "mail", "tool": catalogs.MAIL, "params": {"operation": "send", "to": "a@b.example"}},
]
_CALLS: dict[str, dict[str, Any]] = {
    "find_tool": {"query": "send a mail", "limit": 3, "kind": "", "family": ""},
    "get_tool": {"tool": catalogs.MAIL, "params": {"operation": "send"}},
    "resolve": {"name": "mial", "about": {"kind": "tool", "goal": "greet"}},
    "validate": {"draft": {"goal": "greet", "steps": _STEPS}},
    "repair": {"draft": json.dumps({"steps": _STEPS}), "domain": "n8n"},
    "build": {"draft": {"steps": _STEPS}, "key": "k"},
    "import": {"artifact": catalogs.workflow(), "receipt": {"sha256": "0" * 64}, "publish": True},
    "generate": {"request": _REQUEST, "constraints": {"forbid": [catalogs.HOOK]}},
}
_HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "fuzz", "version": "1"},
}
_PING = "after all"


def _settings_in(folder: Path) -> Settings:
    return Settings(state=folder, database_url=sqlite_url(folder), max_stored_runs=100)


class _Application:
    """The application over a folder of its own, with catalogs and one of each stored thing."""

    _current: _Application | None = None

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="grounded-fuzz-")
        settings = _settings_in(Path(self._folder.name))
        self._app: Any = create_app(settings)
        self._loop = asyncio.Runner()
        self._life = self._app.router.lifespan_context(self._app)
        self._loop.run(self._life.__aenter__())
        self._left = _CASES_EACH
        self._tokens = {"admin": (settings.state / "token").read_text().strip()}
        self.known = {"tool_id": catalogs.MAIL, "token_id": "none", "run": "none"}
        self._fill()

    @classmethod
    def get_instance(cls) -> _Application:
        """Returns the one that serves; another one when that has served for long enough."""
        made = cls._current
        if made is None or made._left <= 0:
            if made is not None:
                made._close()
            made = cls._current = cls()
        made._left -= 1
        return made

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        query: str = "",
        scope: str = "admin",
        content_type: str = _JSON,
    ) -> tuple[int, str, bytes]:
        """Returns status, content type and body of the answer; AssertionError when none comes."""
        headers = {
            "host": "127.0.0.1",
            "content-type": content_type,
            "accept": "application/json, text/event-stream",
            "content-length": str(len(body)),
            "authorization": f"Bearer {self._tokens.get(scope, 'nobody')}",
        }
        request = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode("utf-8", "replace"),
            "query_string": query.encode("utf-8", "replace"),
            "headers": [
                (name.encode(), value.encode("latin-1")) for name, value in headers.items()
            ],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8377),
        }
        return self._loop.run(_send_request(self._app, request, body))

    def _fill(self) -> None:
        """Stores catalogs, a token of every scope, a conversation, a job and a route."""
        for domain, content in (
            ("n8n", catalogs.acme_bytes()),
            ("tools", json.dumps(make_desk_tools()).encode()),
        ):
            status, _, text = self.ask("PUT", f"/v1/{domain}/catalog", content)
            assert status == 200, text
        for scope in SCOPES:
            made = self._post_body("/v1/tokens", {"label": scope, "scopes": [scope]})
            self._tokens.setdefault(scope, made["token"])
        spare = {"label": "spare", "scopes": ["validate"]}
        self.known["token_id"] = self._post_body("/v1/tokens", spare)["id"]
        session = self._post_body("/v1/n8n/sessions", {"request": _REQUEST})["session"]
        self.known["session"] = self.known["run"] = session
        job = self._post_body("/v1/simulink/jobs", {"plan": PLAN})["jobs"][0]["id"]
        self.known["job"] = job
        route = {"request": "send", "tools": make_desk_tools(), "drafter": "external"}
        self.known["route"] = self._post_body("/v1/route", route)["route"]

    def _post_body(self, path: str, body: Any) -> dict[str, Any]:
        status, _, text = self.ask("POST", path, encode(body))
        assert status < 300, text
        value: dict[str, Any] = json.loads(text)
        return value

    def _close(self) -> None:
        self._loop.run(self._life.__aexit__(None, None, None))
        self._loop.close()
        self._folder.cleanup()


async def _send_request(app: Any, request: dict[str, Any], body: bytes) -> tuple[int, str, bytes]:
    sent = [{"type": "http.request", "body": body, "more_body": False}]
    answer: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if sent:
            return sent.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        answer.append(message)

    async with asyncio.timeout(_HANG_S):
        await app(request, receive, send)
    head = answer[0]
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in head["headers"]}
    whole = b"".join(message.get("body", b"") for message in answer[1:])
    return head["status"], headers.get("content-type", ""), whole


def ask_route(data: bytes) -> None:
    """A request is answered, by no fault of the server; a refusal has a code and a message."""
    case = decode(data)
    case = case if isinstance(case, dict) else {"body": data.decode("utf-8", "replace")}
    application = _Application.get_instance()
    method, path, query = case.get("method"), case.get("path"), case.get("query")
    method = method if isinstance(method, str) and _METHOD.fullmatch(method) else "POST"
    path = path if isinstance(path, str) and path.startswith("/") else "/v1/n8n/validate"
    for name, value in application.known.items():
        path = path.replace(f"{{{name}}}", value)
    path = path.encode("utf-8", "replace").decode()
    # A question that waits for an answer for as long as it says is no hang.
    pairs = (
        {str(key): text for key, text in query.items() if key != "wait"}
        if isinstance(query, dict)
        else {}
    )
    scope = str(case.get("scope", "admin"))
    body = case.get("body")
    raw = body.encode("utf-8", "replace") if isinstance(body, str) else encode(body)
    status, kind, text = application.ask(
        method,
        path,
        b"" if body is None else raw,
        query=urlencode(pairs, errors="replace"),
        scope=scope,
    )
    assert status < 500, f"{method} {path}: {status} {text[:500]!r}"
    assert status != 401 or scope not in SCOPES, "a token that was never ended is not known"
    if kind.startswith(_JSON):
        value = json.loads(text)
        if status >= 400 and not path.startswith(_MCP):
            assert value["error"]["code"], text
            assert value["error"]["message"], text


def ask_mcp(data: bytes) -> None:
    """Whatever is posted to /mcp is answered, and by JSON alone."""
    status, kind, text = _Application.get_instance().ask("POST", _MCP, data)
    assert status < 500, f"{status} {text[:500]!r}"
    assert status not in (401, 403), text
    assert text == b"" or kind.startswith(_JSON), kind
    if text:
        json.loads(text)


class _Desk:
    """What `grounded mcp` serves, without the program around it."""

    _current: _Desk | None = None

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="grounded-fuzz-")
        settings = _settings_in(Path(self._folder.name))
        self._store: Store = open_domains_store(settings)
        self._store.load_catalog(catalogs.acme_bytes())
        self._compiler = Compiler(CompileProcesses(settings))
        self.server = serve_on(workplace(self._store, self._compiler, StageKeeper(settings)))
        self.loop = asyncio.Runner()
        self._left = _CASES_EACH

    @classmethod
    def get_instance(cls) -> _Desk:
        """Returns the one that serves; another one when that has served for long enough."""
        made = cls._current
        if made is None or made._left <= 0:
            if made is not None:
                made._close()
            made = cls._current = cls()
        made._left -= 1
        return made

    def _close(self) -> None:
        self.loop.close()
        self._compiler.close()
        self._store.close()
        self._folder.cleanup()


class _Input:
    """Lines as a client writes them, then a ping; ends when that has its answer."""

    def __init__(self, lines: Iterable[str], answered: asyncio.Event) -> None:
        self._lines = lines
        self._answered = answered

    async def __aiter__(self) -> AsyncIterator[str]:
        yield _line("initialize", _HELLO, "first")
        yield json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n"
        for line in self._lines:
            yield line + "\n"
        yield _line("ping", {}, _PING)
        await self._answered.wait()


class _Output:
    """What the server writes, held to be UTF-8 and one JSON object a line."""

    def __init__(self, answered: asyncio.Event) -> None:
        self._answered = answered

    async def write(self, text: str) -> None:
        assert text.encode("utf-8").count(b"\n") == 1
        message = json.loads(text)
        assert message["jsonrpc"] == "2.0"
        if message.get("id") == _PING:
            self._answered.set()

    async def flush(self) -> None:
        """Do nothing: all is written."""


def talk_by_lines(data: bytes) -> None:
    """After whatever lines, a ping is answered, and all that was written are messages."""
    from mcp.server.stdio import stdio_server

    desk = _Desk.get_instance()
    lines = data.decode("utf-8", "replace").split("\n")

    async def talk() -> None:
        answered = asyncio.Event()
        streams: Any = (_Input(lines, answered), _Output(answered))
        served = desk.server._lowlevel_server
        options = served.create_initialization_options()
        async with asyncio.timeout(_HANG_S), stdio_server(*streams) as (reader, writer):
            await served.run(reader, writer, options)

    desk.loop.run(talk())


def _line(method: str, params: dict[str, Any], number: int | str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def _calls() -> Iterable[bytes]:
    for number, (name, arguments) in enumerate(_CALLS.items()):
        params = {"name": name, "arguments": arguments}
        yield _line("tools/call", params, number).strip().encode()
    yield _line("tools/list", {}, 9).strip().encode()
    yield _line("initialize", _HELLO, 10).strip().encode()
    yield _line("resources/list", {"cursor": "x"}, 11).strip().encode()


def _talks() -> Iterable[bytes]:
    calls = list(_calls())
    yield from calls
    yield b"\n".join(calls[:5])
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": 1, "reason": "x"}}
    yield calls[1] + b"\n" + json.dumps({"jsonrpc": "2.0", **cancelled}).encode()


def _requests() -> Iterable[bytes]:
    """A request of every route that is published, with a body of its schema, to each domain."""
    document = create_app(Settings(state=Path("unused"), database_url="unused")).openapi()
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            case: dict[str, Any] = {"method": method.upper(), "scope": "admin"}
            content = operation.get("requestBody", {}).get("content", {})
            if _JSON in content:
                case["body"] = make_sample(content[_JSON].get("schema", {}), document)
            elif content:
                case["body"] = catalogs.acme_bytes().decode()
            case["query"] = {
                parameter["name"]: make_sample(parameter.get("schema", {}), document)
                for parameter in operation.get("parameters", ())
                if parameter["in"] == "query"
            }
            for domain in _DOMAINS if "{domain}" in path else ("",):
                yield encode({**case, "path": path.replace("{domain}", domain)})
    for name, arguments in _CALLS.items():
        body = {"text" if key == "name" else key: value for key, value in arguments.items()}
        yield encode({"method": "POST", "path": f"/v1/n8n/{name}", "body": body})
    draft = {"reply": json.dumps({"steps": _STEPS})}
    yield encode({"method": "POST", "path": "/v1/sessions/{session}/drafts", "body": draft})


TARGETS = (
    Target("routes", ask_route, _requests, "json", 10.0, 120),
    Target("mcp-bodies", ask_mcp, _calls, "json", 10.0, 80),
    Target("mcp-lines", talk_by_lines, _talks, "lines", 10.0, 80),
)
