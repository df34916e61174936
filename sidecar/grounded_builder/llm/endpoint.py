"""Calls an OpenAI-compatible chat endpoint, with limits and named errors."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import requests
import urllib3

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.chat_response import read_error_message, read_reply
from grounded_builder.llm.drafter import DrafterError, FailureKind, Reply
from grounded_builder.llm.retry import PASSING, call_with_retries, parse_retry_after
from grounded_builder.redaction.own_secrets import hide_secret_forms, list_secret_forms

_CONNECT_S = 5.0
_CHUNK = 65_536
# The status codes of endpoints that do not support a `response_format`.
_UNSUPPORTED_STATUS = frozenset({400, 404, 415, 422, 501})

# The options sent with the messages, fewer for an endpoint that does not support them.
_OFFERS = (
    frozenset({"response_format", "tools"}),
    frozenset({"response_format"}),
    frozenset[str](),
)


@dataclass(frozen=True, slots=True)
class ReplyBounds:
    """Limits on one reply: seconds in all, bytes of the response, number of calls."""

    seconds: float = 60.0
    answer_bytes: int = 4_000_000
    calls: int = 4


DEFAULT_BOUNDS = ReplyBounds()


@dataclass(frozen=True, slots=True)
class Place:
    """The address of a model: the base URL, its name there, the key.

    ``options`` are sent with every request, such as ``max_tokens``.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)


class ChatEndpoint:
    """One model of one endpoint, ``{url}/chat/completions``; used by one thread at a time."""

    def __init__(self, place: Place, bounds: ReplyBounds = DEFAULT_BOUNDS) -> None:
        self.name = f"{place.model} at {place.url}"
        self._url = f"{place.url.rstrip('/')}/chat/completions"
        self._body = {**place.options, "model": place.model}
        self._bounds = bounds
        self._offers = list(_OFFERS)
        self._own = list_secret_forms(place.key or "")
        self._session = requests.Session()
        # Ignores proxies and .netrc, so that only the configured host is called.
        self._session.trust_env = False
        if place.key:
            self._session.headers["Authorization"] = f"Bearer {place.key}"

    def close(self) -> None:
        """Closes the connections."""
        self._session.close()

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """Asks once; raises DrafterError if there is no reply within ``seconds``."""
        limit = min(self._bounds.seconds, seconds or self._bounds.seconds)
        deadline = time.monotonic() + limit
        chat_messages = [{"role": message.role, "content": message.content} for message in messages]
        response_format = {
            "type": "json_schema",
            "json_schema": {"name": "plan", "schema": dict(schema)},
        }
        options = {"response_format": response_format, "tools": list(tools)}
        offers = [offer_ for offer_ in self._offers if tools or "tools" not in offer_]
        failed: list[frozenset[str]] = []
        for offer in offers:
            body = {
                **self._body,
                "messages": chat_messages,
                **{key: options[key] for key in sorted(offer)},
            }
            try:
                reply = self._ask(body, deadline)
            except DrafterError as error:
                if error.status not in _UNSUPPORTED_STATUS or offer is offers[-1]:
                    raise
                failed.append(offer)
            else:
                # An option that the endpoint does not support is not sent again.
                self._offers = [
                    o for o in self._offers if not any(offer_ <= o for offer_ in failed)
                ]
                return reply
        raise AssertionError("the last offer answers or raises")

    def _ask(self, body: Mapping[str, Any], deadline: float) -> Reply:
        """Calls, and calls again while a temporary failure and the time allow it."""
        left = deadline - time.monotonic()
        return call_with_retries(lambda: self._call(body, deadline), left, self._bounds.calls)

    def _call(self, body: Mapping[str, Any], deadline: float) -> Reply:
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._timeout_error()
        try:
            with self._session.post(
                self._url,
                data=_encode(body),
                headers={"Content-Type": "application/json", "Accept": "application/json"},
                timeout=(min(_CONNECT_S, left), left),
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = hide_secret_forms(self._read_content(answer, deadline), self._own)
                _raise_for_status(answer, content)
                return read_reply(content)
        except requests.ConnectTimeout as error:
            raise DrafterError("unreachable", "no connection to the model endpoint") from error
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise self._timeout_error() from error
        except (requests.ConnectionError, urllib3.exceptions.ProtocolError) as error:
            raise DrafterError("unreachable", "no connection to the model endpoint") from error
        # The body is read below requests, whose exceptions do not wrap the errors of that layer.
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            message = f"the call to the model endpoint failed ({type(error).__name__})"
            raise DrafterError("garbled", message) from error

    def _read_content(self, answer: requests.Response, deadline: float) -> bytes:
        """Reads the response as it arrives, with a limit on its size and time."""
        content = bytearray()
        # read1 returns the available bytes; read would wait until the buffer is full.
        while chunk := answer.raw.read1(_CHUNK, decode_content=True):
            content += chunk
            if len(content) > self._bounds.answer_bytes:
                message = f"the model's answer is larger than {self._bounds.answer_bytes:,} bytes"
                raise DrafterError("too-large", message)
            if time.monotonic() > deadline:
                raise self._timeout_error()
        return bytes(content)

    def _timeout_error(self) -> DrafterError:
        return DrafterError("slow", f"no answer from the model within {self._bounds.seconds:g} s")


def _raise_for_status(answer: requests.Response, content: bytes) -> None:
    """Raises the error of a response without success."""
    status = answer.status_code
    if 300 <= status < 400:
        message = "the model endpoint redirects, which is not followed"
        raise DrafterError("garbled", message, status)
    if status < 400:
        return
    text = read_error_message(content)
    kind: FailureKind = "failed"
    if status == requests.codes.too_many:
        kind = "busy"
    elif status < 500 and status not in PASSING:
        kind = "refused"
    after = parse_retry_after(answer.headers.get("Retry-After"))
    wait = f", asks to wait {after:.0f} s" if after else ""
    message = f"the model endpoint answered {status}{wait}{f': {text}' if text else ''}"
    raise DrafterError(kind, message, status, after)


def _encode(body: Mapping[str, Any]) -> bytes:
    # Unpaired surrogates in a request are replaced: JSON in UTF-8 cannot contain them.
    try:
        return orjson.dumps(body)
    except TypeError:
        messages = [
            {**message, "content": message["content"].encode("utf-8", "replace").decode()}
            for message in body["messages"]
        ]
        return orjson.dumps({**body, "messages": messages})
