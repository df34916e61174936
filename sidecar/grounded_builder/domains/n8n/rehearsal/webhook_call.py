"""Calls the webhook of a rehearsed workflow as its caller would, and reads the answer."""

from __future__ import annotations

import contextlib
import json
import re
import time
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

from grounded_builder.domains.n8n.check.flow.webhook_response import WEBHOOK
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.invented_credentials import LOGIN_HEADER, mark_of
from grounded_builder.domains.n8n.rehearsal.workflow_copy import WEBHOOK_ID
from grounded_builder.domains.n8n.trial.samples import Sample
from grounded_builder.ir.graph import ResolvedNode

# The modes in which the answer depends on what the workflow does.
_ANSWERING = frozenset({"lastNode", "responseNode", "streaming"})
_WITHOUT_BODY = frozenset({"GET", "HEAD"})
_HEADER = re.compile(r"[a-z0-9!#$%&'*+.^_`|~-]{1,200}")
# Set by the HTTP library for the connection and the body at hand.
_OF_CONNECTION = frozenset(
    "connection content-encoding content-length content-type expect host keep-alive te trailer"
    " transfer-encoding upgrade".split()
)
# The credential types of the logins that a caller can have.
_LOGINS: Mapping[str, str] = {
    "basicAuth": "httpBasicAuth",
    "bearerAuth": "httpBearerAuth",
    "headerAuth": "httpHeaderAuth",
}
_MAX_ANSWER_BYTES = 1_000_000
_REGISTERING_S = 10.0
_RETRY_S = 0.1


@dataclass(frozen=True, slots=True)
class WebhookCall:
    """The request of a caller, with the login that the webhook demands.

    With ``files``, (name, content, type) by field, the body is a form.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    files: Mapping[str, tuple[str, bytes, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """What the caller gets; the part of ``body`` beyond a limit is not read."""

    status: int
    content_type: str
    body: bytes


def plan_call(bound: ResolvedNode, sample: Sample, marks: Sequence[str]) -> WebhookCall | None:
    """Returns the call of a webhook whose answer the workflow makes, with the sample's first item.

    ``marks`` are those of the node's invented credentials. None for other triggers, and where path
    or login are known only to n8n.
    """
    if bound.node.tool != WEBHOOK or not isinstance(bound.spec, NodeSpec) or not sample.items:
        return None
    params = filled_parameters(bound).full
    options = params.get("options")
    login = choose_login(params.get("authentication"), marks)
    path, method = params.get("path"), params.get("httpMethod", "GET")
    method = method[0] if isinstance(method, list) and method else method
    known = [isinstance(text, str) and not text.startswith("=") for text in (path, method)]
    is_limited = isinstance(options, Mapping) and bool(options.get("ipWhitelist"))
    if params.get("responseMode") not in _ANSWERING or login is None or is_limited:
        return None
    if not all(known) or not path:
        return None
    item = _as_object(sample.items[0].get("json"))
    return WebhookCall(
        str(method),
        _fill_path(str(path), bound.node.source, _as_object(item.get("params"))),
        {**dict(_list_headers(_as_object(item.get("headers")))), **login},
        {str(name): str(value) for name, value in _as_object(item.get("query")).items()},
        None if method in _WITHOUT_BODY else item.get("body", {}),
        dict(_list_files(_as_object(sample.items[0].get("binary")))),
    )


def _list_headers(headers: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the headers of a sample but those of the connection and of the body."""
    for name, value in headers.items():
        lower = str(name).lower()
        is_text = isinstance(value, str) and value.isascii() and value.isprintable()
        if is_text and lower not in _OF_CONNECTION and _HEADER.fullmatch(lower):
            yield lower, value


def _list_files(binary: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, bytes, str]]]:
    """Yields the files of an item that can be decoded."""
    for key, file in binary.items():
        if isinstance(file, Mapping) and isinstance(file.get("data"), str):
            with contextlib.suppress(Base64Error, ValueError):
                content = b64decode(file["data"], validate=True)
                kind = str(file.get("mimeType") or "application/octet-stream")
                yield str(key), (str(file.get("fileName") or key), content, kind)


def call_webhook(door: Path, call: WebhookCall, limit_s: float) -> WebhookAnswer | None:
    """Calls the webhook of a published workflow; None where it does not answer in time.

    Raises `EditorError` where n8n cannot be reached.
    """
    try:
        return _call_registered(door, call, limit_s)
    except httpx2.TimeoutException:
        return None
    except httpx2.HTTPError as error:
        raise EditorError("the webhook", str(error) or type(error).__name__) from error


def _call_registered(door: Path, call: WebhookCall, limit_s: float) -> WebhookAnswer:
    """Calls the webhook as soon as n8n knows it, a moment after the workflow is published."""
    deadline = time.monotonic() + _REGISTERING_S
    with httpx2.Client(
        transport=httpx2.HTTPTransport(uds=str(door)),
        base_url="http://127.0.0.1",
        timeout=limit_s,
        # Webhooks can be set to ignore the names of programs.
        headers={"User-Agent": "Mozilla/5.0"},
    ) as client:
        while True:
            answer = _send(client, call)
            is_unknown = answer.status == httpx2.codes.NOT_FOUND and b"registered" in answer.body
            if not is_unknown or time.monotonic() > deadline:
                return answer
            time.sleep(_RETRY_S)


def _send(client: httpx2.Client, call: WebhookCall) -> WebhookAnswer:
    content: dict[str, Any] = {} if call.body is None else {"json": call.body}
    if call.body is not None and call.files:
        fields = {name: _write_field(value) for name, value in _as_object(call.body).items()}
        content = {"files": dict(call.files), "data": fields}
    with client.stream(
        call.method, f"/webhook/{call.path}", params=call.query, headers=call.headers, **content
    ) as answer:
        body = b""
        for part in answer.iter_bytes():
            body += part
            if len(body) >= _MAX_ANSWER_BYTES:
                break
        kind = answer.headers.get("content-type", "")
        return WebhookAnswer(answer.status_code, kind, body[:_MAX_ANSWER_BYTES])


def _write_field(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def choose_login(kind: Any, marks: Sequence[str]) -> Mapping[str, str] | None:
    """Returns the headers of a login with the invented credential, None where it needs more."""
    if kind in (None, "none"):
        return {}
    credential = _LOGINS.get(kind) if isinstance(kind, str) else None
    mark = next((mark for mark in marks if credential and _is_of(mark, credential)), None)
    if mark is None:
        return None
    if kind == "headerAuth":
        return {LOGIN_HEADER: f"{mark}-key"}
    if kind == "bearerAuth":
        return {"Authorization": f"Bearer {mark}-token"}
    login = b64encode(f"{mark}-user:{mark}-password".encode()).decode()
    return {"Authorization": f"Basic {login}"}


def _is_of(mark: str, credential: str) -> bool:
    return mark.rpartition("-")[0] == mark_of(credential, 0).rpartition("-")[0]


def _fill_path(path: str, node: Mapping[str, Any], params: Mapping[str, Any]) -> str:
    """Returns the path with values for its variables; n8n puts the webhook's id before those."""
    parts = path.strip("/").split("/")
    filled = [
        str(params.get(part[1:], "x")) if part.startswith(":") else part for part in parts if part
    ]
    is_filled = any(part.startswith(":") for part in parts)
    prefix = [str(node.get("webhookId", WEBHOOK_ID))] if is_filled else []
    return quote("/".join((*prefix, *filled)))


def _as_object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
