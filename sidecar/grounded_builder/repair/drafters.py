"""A drafter behind an OpenAI-compatible chat endpoint: bounded, and every failure named."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self

import orjson
import requests

from grounded_builder.repair.talk import Message

FailureKind = Literal["unreachable", "slow", "refused", "failed", "too-large", "garbled", "empty"]

_CONNECT_S = 5.0
_ATTEMPTS = 2
_PAUSE_S = 0.5
_CHUNK = 65_536
_QUOTED = 300
# What endpoints answer to a `response_format` that they do not know.
_NOT_UNDERSTOOD = frozenset({400, 404, 415, 422, 501})
_PASSING = frozenset({429, 502, 503, 504})


class DrafterError(Exception):
    """The model gave no reply; the message says why, ``status`` is the HTTP status or 0."""

    def __init__(self, kind: FailureKind, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status


@dataclass(frozen=True, slots=True)
class ReplyBounds:
    """What one reply may take: seconds in all, bytes of the answer around it."""

    seconds: float = 60.0
    answer_bytes: int = 4_000_000


DEFAULT_BOUNDS = ReplyBounds()


class ChatEndpoint:
    """One model of one endpoint, ``{url}/chat/completions``; for one thread at a time."""

    def __init__(
        self, url: str, model: str, key: str | None = None, bounds: ReplyBounds = DEFAULT_BOUNDS
    ) -> None:
        self.name = f"{model} at {url}"
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model = model
        self._bounds = bounds
        self._takes_schema = True
        self._session = requests.Session()
        # No proxy and no .netrc: the configured host is called, and no other.
        self._session.trust_env = False
        if key:
            self._session.headers["Authorization"] = f"Bearer {key}"

    def __enter__(self) -> Self:
        """Lets a ``with`` close the connections."""
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def reply(
        self,
        messages: Iterable[Message],
        schema: Mapping[str, Any],
        seconds: float | None = None,
    ) -> str:
        """Ask once; DrafterError when no text came back within ``seconds``."""
        limit = min(self._bounds.seconds, seconds or self._bounds.seconds)
        deadline = time.monotonic() + limit
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": one.role, "content": one.content} for one in messages],
        }
        if self._takes_schema:
            shaped = {"name": "plan", "schema": dict(schema)}
            constrained = {
                **body,
                "response_format": {"type": "json_schema", "json_schema": shaped},
            }
            try:
                return self._asked(constrained, deadline)
            except DrafterError as error:
                if error.status not in _NOT_UNDERSTOOD:
                    raise
            text = self._asked(body, deadline)
            # It was the format that it did not understand: do not offer it again.
            self._takes_schema = False
            return text
        return self._asked(body, deadline)

    def _asked(self, body: Mapping[str, Any], deadline: float) -> str:
        """Call, once more when the failure may pass by itself."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._call(body, deadline)
            except DrafterError as error:
                if error.status not in _PASSING or time.monotonic() + _PAUSE_S > deadline:
                    raise
            time.sleep(_PAUSE_S)
        return self._call(body, deadline)

    def _call(self, body: Mapping[str, Any], deadline: float) -> str:
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
                return _text_of(answer.status_code, self._content(answer, deadline))
        except requests.ConnectTimeout as error:
            raise DrafterError("unreachable", "no connection to the model endpoint") from error
        except requests.Timeout as error:
            raise self._slow() from error
        except requests.ConnectionError as error:
            raise DrafterError("unreachable", "no connection to the model endpoint") from error
        except (requests.RequestException, OSError) as error:
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


def _text_of(status: int, content: bytes) -> str:
    """The text in an answer; the endpoint's own words when it refused."""
    value = _object(content)
    if 300 <= status < 400:
        message = "the model endpoint redirects, which is not followed"
        raise DrafterError("garbled", message, status)
    if status >= 400:
        told = _said(value)
        kind: FailureKind = "failed"
        if status < 500 and status not in _PASSING:
            kind = "refused"
        message = f"the model endpoint answered {status}{f': {told}' if told else ''}"
        raise DrafterError(kind, message, status)
    if value is None:
        begin = " ".join(content[:60].decode("utf-8", "replace").split())
        message = f'the model endpoint answered with no JSON object: "{begin}"'
        raise DrafterError("garbled", message, status)
    message_of = _first_message(value)
    if message_of is None:
        raise DrafterError("garbled", 'the answer of the model endpoint has no "choices"', status)
    text = _joined(message_of.get("content"))
    if text.strip():
        return text
    refusal = message_of.get("refusal")
    told = f": {refusal[:_QUOTED]}" if isinstance(refusal, str) and refusal else ""
    raise DrafterError("empty", f"the model answered with nothing{told}", status)


def _first_message(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else None


def _joined(content: Any) -> str:
    """A content is text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(part for part in parts if isinstance(part, str))


def _said(value: Mapping[str, Any] | None) -> str:
    error = (value or {}).get("error")
    message = error.get("message") if isinstance(error, dict) else error
    return " ".join(message.split())[:_QUOTED] if isinstance(message, str) else ""


def _encoded(body: Mapping[str, Any]) -> bytes:
    # Half a surrogate pair in a request is replaced: JSON of bytes has no room for it.
    try:
        return orjson.dumps(body)
    except TypeError:
        messages = [
            {**one, "content": one["content"].encode("utf-8", "replace").decode()}
            for one in body["messages"]
        ]
        return orjson.dumps({**body, "messages": messages})


def _object(content: bytes) -> dict[str, Any] | None:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None
