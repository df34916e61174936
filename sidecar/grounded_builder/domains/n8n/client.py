"""Speak n8n's public API: bounded in time and size, every failure told apart.

Facts relied on, measured on n8n 2.41.1: a refusal is ``{"message"}`` with status 400, a
workflow that is absent or belongs to somebody else is 404 on every call, a body over
``N8N_PAYLOAD_SIZE_MAX`` is 413 with a page, ``?name=`` filters the list by LIKE. Never
asked is ``/discover``: where n8n runs without its module ``otel``, every execution fails
from that call on.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal, Self
from urllib.parse import quote, urlsplit

import orjson
import requests
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from grounded_builder.diagnostics import Diagnostic, found
from grounded_builder.setting import StoredCredential

Workflow = dict[str, Any]
FailureKind = Literal[
    "unreachable",
    "slow",
    "refused-key",
    "missing",
    "conflict",
    "refused",
    "failed",
    "garbled",
]

_PAGE = 100
_PAGES = 50
_ATTEMPTS = 3
_SAID = 20_000
_QUOTED = 400


class N8nError(Exception):
    """A call that did not do what it was asked.

    ``said`` is n8n's own message, ``status`` the HTTP status, 0 when there was none.
    """

    def __init__(self, kind: FailureKind, what: str, said: str = "", status: int = 0) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what
        self.said = said
        self.status = status


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one call may take: seconds to connect, between bytes and in all; bytes of answer."""

    connect_s: float = 5.0
    read_s: float = 30.0
    whole_s: float = 60.0
    answer_bytes: int = 64_000_000
    retry_wait_s: float = 2.0


DEFAULT_BOUNDS = Bounds()


class N8nClient:
    """One n8n, by its public API; the address comes from the settings alone.

    Not for several threads at once: make one for each import.
    """

    def __init__(self, url: str, api_key: str, bounds: Bounds | None = None) -> None:
        self.url = url.rstrip("/")
        self._bounds = bounds or DEFAULT_BOUNDS
        self._session = requests.Session()
        # No proxy and no .netrc: the configured host is called, and no other.
        self._session.trust_env = False
        self._session.headers.update({"X-N8N-API-KEY": api_key, "Accept": "application/json"})

    def __enter__(self) -> Self:
        """Lets a ``with`` close the connections."""
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def page_of(self, workflow_id: str) -> str:
        """The address at which a person sees a workflow."""
        return f"{self.url}/workflow/{quote(workflow_id, safe='')}"

    def create(self, workflow: Mapping[str, Any]) -> Workflow:
        """Create a workflow, unpublished; never repeated, for a repetition makes a second one."""
        return _with_id(self._call("POST", "/workflows", workflow), "a new workflow")

    def get(self, workflow_id: str) -> Workflow:
        """The draft as stored, with ``activeVersion`` beside it."""
        return _with_id(self._again("GET", _at(workflow_id)), f"workflow {workflow_id}")

    def named(self, name: str) -> Iterator[Workflow]:
        """All workflows of exactly this name."""
        for workflow in self._pages("/workflows", {"name": name, "excludePinnedData": "true"}):
            if workflow.get("name") == name:
                yield workflow

    def update(self, workflow_id: str, workflow: Mapping[str, Any]) -> Workflow:
        """Replace the draft; what is published stays so where n8n knows how (2.x).

        Without ``publishIfActive=false`` n8n publishes at once, and a refusal leaves
        the new draft behind.
        """
        at = _at(workflow_id)
        try:
            answer = self._call("PUT", f"{at}?publishIfActive=false", workflow)
        except N8nError as error:
            if error.kind != "refused" or "publishIfActive" not in error.said:
                raise
            answer = self._call("PUT", at, workflow)
        return _with_id(answer, f"workflow {workflow_id}")

    def delete(self, workflow_id: str) -> None:
        """Delete a workflow; one that is gone already is fine."""
        try:
            self._again("DELETE", _at(workflow_id))
        except N8nError as error:
            if error.kind != "missing":
                raise

    def activate(self, workflow_id: str, version_id: str | None = None) -> Workflow:
        """Publish a version, by default the draft; 2.x registers the triggers afterwards."""
        body = {} if version_id is None else {"versionId": version_id}
        at = f"{_at(workflow_id)}/activate"
        return _with_id(self._call("POST", at, body), f"workflow {workflow_id}")

    def deactivate(self, workflow_id: str) -> None:
        """Unpublish a workflow."""
        self._again("POST", f"{_at(workflow_id)}/deactivate")

    def credentials(self) -> tuple[StoredCredential, ...]:
        """The credentials of the instance, without their secrets."""
        return tuple(
            StoredCredential(str(one["id"]), str(one["name"]), str(one["type"]))
            for one in self._pages("/credentials", {})
            if {"id", "name", "type"} <= one.keys()
        )

    def webhook_methods(self, path: str) -> frozenset[str]:
        """The methods for which n8n listens on a webhook path; asking starts nothing.

        OPTIONS with an Origin is answered from the register of webhooks.
        """
        address = f"{self.url}/webhook/{quote(path, safe='/')}"
        try:
            with self._session.options(
                address,
                headers={"Origin": self.url, "X-N8N-API-KEY": None},
                timeout=(self._bounds.connect_s, self._bounds.connect_s),
                allow_redirects=False,
                stream=True,
            ) as answer:
                allowed = answer.headers.get("Access-Control-Allow-Methods", "")
        except requests.RequestException:
            return frozenset()
        methods = {method.strip().upper() for method in allowed.split(",")}
        return frozenset(methods - {"", "OPTIONS"})

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[Workflow]:
        cursor: str | None = None
        for _ in range(_PAGES):
            asked = {"limit": str(_PAGE), **query, **({"cursor": cursor} if cursor else {})}
            joined = "&".join(f"{key}={quote(value, safe='')}" for key, value in asked.items())
            answer = self._again("GET", f"{path}?{joined}")
            page = answer.get("data")
            if not isinstance(page, list):
                raise N8nError("garbled", f"n8n's list at {path} has no entries in it")
            yield from (entry for entry in page if isinstance(entry, dict))
            cursor = answer.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return
        raise N8nError("failed", f"n8n lists more than {_PAGE * _PAGES:,} entries at {path}")

    def _again(self, method: str, path: str) -> Workflow:
        """Call, and repeat what may pass by itself; only for calls that may be repeated."""
        retrying = Retrying(
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.1, max=self._bounds.retry_wait_s),
            retry=retry_if_exception(_passes),
            reraise=True,
        )
        return retrying(self._call, method, path)

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Workflow:
        where = urlsplit(path).path
        try:
            with self._session.request(
                method,
                f"{self.url}/api/v1{path}",
                data=None if body is None else json.dumps(body).encode(),
                headers={} if body is None else {"Content-Type": "application/json"},
                timeout=(self._bounds.connect_s, self._bounds.read_s),
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = self._content(answer)
                return _judged(answer, content, f"{method} {where}", self.url)
        except requests.ConnectTimeout as error:
            raise N8nError("unreachable", f"no connection to n8n at {self.url}") from error
        except requests.Timeout as error:
            message = f"n8n did not answer {method} {where} within {self._bounds.read_s:g} s"
            raise N8nError("slow", message) from error
        except requests.ConnectionError as error:
            raise N8nError("unreachable", f"no connection to n8n at {self.url}") from error
        except requests.RequestException as error:
            message = f"the call to n8n at {self.url} failed ({type(error).__name__})"
            raise N8nError("garbled", message) from error

    def _content(self, answer: requests.Response) -> bytes:
        """Read the answer as it comes, so that neither size nor a trickle is unbounded."""
        deadline = time.monotonic() + self._bounds.whole_s
        content = bytearray()
        for chunk in iter(_reader(answer), b""):
            content += chunk
            if len(content) > self._bounds.answer_bytes:
                message = f"n8n's answer is larger than {self._bounds.answer_bytes:,} bytes"
                raise N8nError("garbled", message)
            if time.monotonic() > deadline:
                message = f"n8n's answer was not complete within {self._bounds.whole_s:g} s"
                raise N8nError("slow", message)
        return bytes(content)


def diagnose(error: N8nError) -> Diagnostic:
    """Tell a failure of the instance, with the setting to look at."""
    if error.kind in ("unreachable", "slow"):
        hint = "start n8n, or correct GROUNDED_N8N_URL"
        return found("N8N501", (), error.what, help=hint)
    if error.kind == "refused-key":
        hint = "make a key in n8n with the workflow and credential scopes: GROUNDED_N8N_API_KEY"
        return found("N8N502", (), error.what, help=hint)
    if error.kind in ("refused", "conflict", "missing"):
        return found("N8N503", (), error.what, help="change what n8n names")
    hint = "look at n8n's log, and check that GROUNDED_N8N_URL leads to n8n itself"
    return found("N8N506", (), error.what, help=hint)


def _at(workflow_id: str) -> str:
    return f"/workflows/{quote(workflow_id, safe='')}"


def _passes(error: BaseException) -> bool:
    return isinstance(error, N8nError) and error.kind in ("unreachable", "failed")


def _reader(answer: requests.Response) -> Callable[[], bytes]:
    # read1 returns what has come; read would wait until the buffer is full.
    def read() -> bytes:
        return bytes(answer.raw.read1(262_144, decode_content=True))

    return read


def _judged(answer: requests.Response, content: bytes, what: str, url: str) -> Workflow:
    status = answer.status_code
    body = _object(content)
    kind: FailureKind
    message = body.get("message") if body is not None else None
    said = message[:_SAID] if isinstance(message, str) else ""
    told = f": {' '.join(said.split())[:_QUOTED]}" if said else ""
    if 200 <= status < 300 and body is not None:
        return body
    if 200 <= status < 300:
        begin = content[:40].decode("utf-8", "replace").strip()
        kind, shown = "garbled", f'n8n answered {what} with no JSON object: "{begin}"'
    elif 300 <= status < 400:
        target = urlsplit(answer.headers.get("Location", ""))
        place = f"{target.scheme}://{target.netloc}" if target.netloc else target.path[:80]
        kind, shown = "garbled", f"{url} redirects to {place}, which is not followed"
    elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        kind, shown = "refused-key", f"n8n refused the API key for {what}, {status}{told}"
    elif status == HTTPStatus.NOT_FOUND and body is None:
        kind, shown = "garbled", f"there is no n8n API at {url}, 404 for {what}"
    elif status == HTTPStatus.NOT_FOUND:
        kind, shown = "missing", f"n8n knows no such workflow: {what}"
    elif status == HTTPStatus.CONFLICT:
        kind, shown = "conflict", f"n8n answered {what} with a conflict{told}"
    elif status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        said = "the workflow is larger than n8n takes: N8N_PAYLOAD_SIZE_MAX, in MiB"
        kind, shown = "refused", said
    elif status < 500 and body is not None and status != HTTPStatus.TOO_MANY_REQUESTS:
        kind, shown = "refused", f"n8n refused {what}{told}"
    else:
        kind, shown = "failed", f"n8n answered {what} with {status}{told}"
    raise N8nError(kind, shown, said, status)


def _object(content: bytes) -> Workflow | None:
    try:
        value = _loaded(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _loaded(content: bytes) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        # n8n stores half an emoji, and a list of workflows may hold one of somebody else.
        if "surrogate" not in error.msg:
            raise
        return json.loads(content)


def _with_id(workflow: Workflow, what: str) -> Workflow:
    if not isinstance(workflow.get("id"), str) or not workflow["id"]:
        raise N8nError("garbled", f"n8n's answer for {what} has no id in it")
    return workflow
