"""A drafter behind an OpenAI-compatible chat endpoint: bounded, and every failure named."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson
import requests
import urllib3

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.chat_response import error_message_in, reply_in
from grounded_builder.llm.drafter import DrafterError, FailureKind, Reply
from grounded_builder.llm.retry import PASSING, patiently, seconds_asked
from grounded_builder.redaction.own_secrets import hide_secret_forms, list_secret_forms

_CONNECT_S = 5.0
_CHUNK = 65_536
# What endpoints answer to a `response_format` that they do not know.
_NOT_UNDERSTOOD = frozenset({400, 404, 415, 422, 501})

# What is sent beside the messages: less of it where an endpoint does not know it.
_OFFERS = (
    frozenset({"response_format", "tools"}),
    frozenset({"response_format"}),
    frozenset[str](),
)


@dataclass(frozen=True, slots=True)
class ReplyBounds:
    """What one reply may take: seconds in all, bytes of the answer around it, calls."""

    seconds: float = 60.0
    answer_bytes: int = 4_000_000
    calls: int = 4


DEFAULT_BOUNDS = ReplyBounds()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a model answers: the base address, its name there, the key.

    ``options`` are sent with every request, such as ``max_tokens``.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)


class ChatEndpoint:
    """One model of one endpoint, ``{url}/chat/completions``; for one thread at a time."""

    def __init__(self, place: Place, bounds: ReplyBounds = DEFAULT_BOUNDS) -> None:
        self.name = f"{place.model} at {place.url}"
        self._url = f"{place.url.rstrip('/')}/chat/completions"
        self._body = {**place.options, "model": place.model}
        self._bounds = bounds
        self._offers = list(_OFFERS)
        self._own = list_secret_forms(place.key or "")
        self._session = requests.Session()
        # No proxy and no .netrc: the configured host is called, and no other.
        self._session.trust_env = False
        if place.key:
            self._session.headers["Authorization"] = f"Bearer {place.key}"

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> Reply:
        """Ask once; DrafterError when nothing was said within ``seconds``."""
        limit = min(self._bounds.seconds, seconds or self._bounds.seconds)
        deadline = time.monotonic() + limit
        results = [{"role": message.role, "content": message.content} for message in messages]
        shaped = {"type": "json_schema", "json_schema": {"name": "plan", "schema": dict(schema)}}
        more = {"response_format": shaped, "tools": list(tools)}
        offers = [item for item in self._offers if tools or "tools" not in item]
        failed: list[frozenset[str]] = []
        for offer in offers:
            body = {**self._body, "messages": results, **{key: more[key] for key in sorted(offer)}}
            try:
                reply = self._asked(body, deadline)
            except DrafterError as error:
                if error.status not in _NOT_UNDERSTOOD or offer is offers[-1]:
                    raise
                failed.append(offer)
            else:
                # What it did not understand is not offered to it again.
                self._offers = [o for o in self._offers if not any(item <= o for item in failed)]
                return reply
        raise AssertionError("the last offer answers or raises")

    def _asked(self, body: Mapping[str, Any], deadline: float) -> Reply:
        """Call, and again when the failure may pass by itself while there is time."""
        left = deadline - time.monotonic()
        return patiently(lambda: self._call(body, deadline), left, self._bounds.calls)

    def _call(self, body: Mapping[str, Any], deadline: float) -> Reply:
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._slow()
        try:
            with self._session.post(
                self._url,
                data=_encoded(body),
                headers={"Content-Type": "application/json", "Accept": "application/json"},
                timeout=(min(_CONNECT_S, left), left),
                allow_redirects=False,
                stream=True,
            ) as answer:
                content = hide_secret_forms(self._content(answer, deadline), self._own)
                _refuse(answer, content)
                return reply_in(content)
        except requests.ConnectTimeout as error:
            raise DrafterError("unreachable", "no connection to the model endpoint") from error
        except (requests.Timeout, urllib3.exceptions.TimeoutError) as error:
            raise self._slow() from error
        except (requests.ConnectionError, urllib3.exceptions.ProtocolError) as error:
            raise DrafterError("unreachable", "no connection to the model endpoint") from error
        # The body is read from below requests, which gives its own errors no other names there.
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            message = f"the call to the model endpoint failed ({type(error).__name__})"
            raise DrafterError("garbled", message) from error

    def _content(self, answer: requests.Response, deadline: float) -> bytes:
        """Read the answer as it comes, so that neither size nor a trickle is unbounded."""
        content = bytearray()
        # read1 returns what has come; read would wait until the buffer is full.
        while chunk := answer.raw.read1(_CHUNK, decode_content=True):
            content += chunk
            if len(content) > self._bounds.answer_bytes:
                message = f"the model's answer is larger than {self._bounds.answer_bytes:,} bytes"
                raise DrafterError("too-large", message)
            if time.monotonic() > deadline:
                raise self._slow()
        return bytes(content)

    def _slow(self) -> DrafterError:
        return DrafterError("slow", f"no answer from the model within {self._bounds.seconds:g} s")


def _refuse(answer: requests.Response, content: bytes) -> None:
    """Raise what an answer that is no success says."""
    status = answer.status_code
    if 300 <= status < 400:
        message = "the model endpoint redirects, which is not followed"
        raise DrafterError("garbled", message, status)
    if status < 400:
        return
    text = error_message_in(content)
    kind: FailureKind = "failed"
    if status == requests.codes.too_many:
        kind = "busy"
    elif status < 500 and status not in PASSING:
        kind = "refused"
    after = seconds_asked(answer.headers.get("Retry-After"))
    wait = f", asks to wait {after:.0f} s" if after else ""
    message = f"the model endpoint answered {status}{wait}{f': {text}' if text else ''}"
    raise DrafterError(kind, message, status, after)


def _encoded(body: Mapping[str, Any]) -> bytes:
    # Half a surrogate pair in a request is replaced: JSON of bytes has no room for it.
    try:
        return orjson.dumps(body)
    except TypeError:
        messages = [
            {**message, "content": message["content"].encode("utf-8", "replace").decode()}
            for message in body["messages"]
        ]
        return orjson.dumps({**body, "messages": messages})
