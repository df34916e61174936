"""Sends HTTP requests to one n8n, with limits of time and size and a kind for every failure."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal
from urllib.parse import quote, urlsplit

import orjson
import requests
import urllib3
from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

from grounded_builder.redaction.own_secrets import hide_secret_forms, list_secret_forms

Entry = dict[str, Any]
FailureKind = Literal[
    "unreachable",
    "slow",
    "invalid-api-key",
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
    """A call that failed.

    ``n8n_message`` is n8n's own message, ``status`` the HTTP status, 0 when there was none.
    """

    def __init__(self, kind: FailureKind, what: str, text: str = "", status: int = 0) -> None:
        super().__init__(what)
        self.kind = kind
        self.what = what
        self.n8n_message = text
        self.status = status


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one call: seconds to connect, between bytes and in total; bytes of
    the answer.
    """

    connect_s: float = 5.0
    read_s: float = 30.0
    whole_s: float = 60.0
    answer_bytes: int = 64_000_000
    retry_wait_s: float = 2.0


DEFAULT_BOUNDS = Bounds()


class Wire:
    """The connections to one n8n; calls to its public API carry the key, others do not.

    Not for several threads at once.
    """

    def __init__(self, url: str, api_key: str, bounds: Bounds) -> None:
        self.url = url
        self._bounds = bounds
        self._own = list_secret_forms(api_key)
        self._session = requests.Session()
        # No proxy and no .netrc: only the configured host is called.
        self._session.trust_env = False
        self._session.headers.update({"X-N8N-API-KEY": api_key, "Accept": "application/json"})

    def close(self) -> None:
        """Closes the connections."""
        self._session.close()

    def call_with_retries(self, method: str, path: str) -> Entry:
        """Calls, and retries temporary failures; only for calls that may be repeated."""
        retrying = Retrying(
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_random_exponential(multiplier=0.1, max=self._bounds.retry_wait_s),
            retry=retry_if_exception(_is_temporary),
            reraise=True,
        )
        return retrying(self.call, method, path)

    def pages(self, path: str, query: Mapping[str, str]) -> Iterator[Entry]:
        """Yields all entries of a paged list."""
        cursor: str | None = None
        for _ in range(_PAGES):
            asked = {"limit": str(_PAGE), **query, **({"cursor": cursor} if cursor else {})}
            joined = "&".join(f"{key}={quote(value, safe='')}" for key, value in asked.items())
            answer = self.call_with_retries("GET", f"{path}?{joined}")
            page = answer.get("data")
            if not isinstance(page, list):
                raise N8nError("garbled", f"n8n's list at {path} has no entries in it")
            yield from (entry for entry in page if isinstance(entry, dict))
            cursor = answer.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                return
        raise N8nError("failed", f"n8n lists more than {_PAGE * _PAGES:,} entries at {path}")

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Entry:
        """Calls the public API once; returns the object in the answer, or raises N8nError."""
        what = f"{method} {urlsplit(path).path}"
        kind = {} if body is None else {"Content-Type": "application/json"}
        content = None if body is None else json.dumps(body).encode()
        with self._request(method, f"/api/v1{path}", what, kind, content) as answer:
            return _parse_answer(answer, self._content(answer), what, self.url)

    def plain(self, path: str) -> tuple[int, bytes]:
        """Fetches an address outside the API without the key; returns its status and content."""
        where = urlsplit(path).path
        with self._request("GET", path, f"GET {where}", {"X-N8N-API-KEY": None}) as answer:
            return answer.status_code, self._content(answer)

    def page(self, path: str) -> tuple[bytes, str]:
        """Fetches an address outside the API without the key; returns its content and date."""
        where = urlsplit(path).path
        with self._request("GET", path, f"GET {where}", {"X-N8N-API-KEY": None}) as answer:
            return self._content(answer), answer.headers.get("Date", "")

    def allowed_methods(self, path: str) -> frozenset[str]:
        """Returns the methods in an address's answer to a cross-origin OPTIONS; none
        without one.
        """
        asked = {"Origin": self.url, "X-N8N-API-KEY": None}
        try:
            with self._request(
                "OPTIONS", path, f"OPTIONS {path}", asked, patience_s=self._bounds.connect_s
            ) as answer:
                allowed = answer.headers.get("Access-Control-Allow-Methods", "")
        except N8nError:
            return frozenset()
        return frozenset(method.strip().upper() for method in allowed.split(","))

    @contextmanager
    def _request(
        self,
        method: str,
        path: str,
        what: str,
        headers: Mapping[str, str | None],
        body: bytes | None = None,
        patience_s: float | None = None,
    ) -> Iterator[requests.Response]:
        try:
            with self._session.request(
                method,
                f"{self.url}{path}",
                data=body,
                headers=dict(headers),
                timeout=(self._bounds.connect_s, patience_s or self._bounds.read_s),
                allow_redirects=False,
                stream=True,
            ) as answer:
                yield answer
        except requests.ConnectTimeout as error:
            raise N8nError("unreachable", f"no connection to n8n at {self.url}") from error
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            message = f"n8n did not answer {what} within {self._bounds.read_s:g} s"
            raise N8nError("slow", message) from error
        except (requests.ConnectionError, urllib3.exceptions.ProtocolError) as error:
            raise N8nError("unreachable", f"no connection to n8n at {self.url}") from error
        # The body is read with urllib3, whose errors requests does not translate there.
        except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
            message = f"the call to n8n at {self.url} failed ({type(error).__name__})"
            raise N8nError("garbled", message) from error

    def _content(self, answer: requests.Response) -> bytes:
        """Reads the answer in parts, so that neither its size nor a slow sender is unbounded."""
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
        return hide_secret_forms(bytes(content), self._own)


def _is_temporary(error: BaseException) -> bool:
    return isinstance(error, N8nError) and error.kind in ("unreachable", "failed")


def _reader(answer: requests.Response) -> Callable[[], bytes]:
    # read1 returns the bytes that have arrived; read would wait until the buffer is full.
    def read() -> bytes:
        return bytes(answer.raw.read1(262_144, decode_content=True))

    return read


def _parse_answer(answer: requests.Response, content: bytes, call: str, url: str) -> Entry:
    status = answer.status_code
    body = object_of(content)
    kind: FailureKind
    message = body.get("message") if body is not None else None
    text = message[:_SAID] if isinstance(message, str) else ""
    value = f": {' '.join(text.split())[:_QUOTED]}" if text else ""
    if 200 <= status < 300 and body is not None:
        return body
    if 200 <= status < 300:
        begin = content[:40].decode("utf-8", "replace").strip()
        kind, shown = "garbled", f'n8n answered {call} with no JSON object: "{begin}"'
    elif 300 <= status < 400:
        target = urlsplit(answer.headers.get("Location", ""))
        place = f"{target.scheme}://{target.netloc}" if target.netloc else target.path[:80]
        kind, shown = "garbled", f"{url} redirects to {place}, which is not followed"
    elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        kind, shown = "invalid-api-key", f"n8n refused the API key for {call}, {status}{value}"
    elif status == HTTPStatus.NOT_FOUND and body is None:
        kind, shown = "garbled", f"there is no n8n API at {url}, 404 for {call}"
    elif status == HTTPStatus.NOT_FOUND:
        kind, shown = "missing", f"n8n knows no such workflow: {call}"
    elif status == HTTPStatus.CONFLICT:
        kind, shown = "conflict", f"n8n answered {call} with a conflict{value}"
    elif status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        text = "the workflow is larger than n8n takes: N8N_PAYLOAD_SIZE_MAX, in MiB"
        kind, shown = "refused", text
    elif status < 500 and body is not None and status != HTTPStatus.TOO_MANY_REQUESTS:
        kind, shown = "refused", f"n8n refused {call}{value}"
    else:
        kind, shown = "failed", f"n8n answered {call} with {status}{value}"
    raise N8nError(kind, shown, text, status)


def object_of(content: bytes) -> Entry | None:
    """Returns the JSON object in an answer; None for anything else."""
    try:
        value = _load(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _load(content: bytes) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        # n8n stores half an emoji, and a list may contain such a workflow of another user.
        if "surrogate" not in error.msg:
            raise
        return json.loads(content)
