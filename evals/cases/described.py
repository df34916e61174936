"""Matches requests with descriptions in the language of expectations.

A description of a request also has ``model`` (whether it is to a chat model), ``not_host``
(patterns of hosts), ``has`` (texts in it, whatever their case), ``pattern`` and ``not_pattern``
(regular expressions).
"""

from __future__ import annotations

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email import message_from_bytes, policy
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import unquote_plus

from grounded_builder.domains.n8n.rehearsal import match
from grounded_builder.domains.n8n.rehearsal.answers.chat_prompts import ChatPrompt, read_prompt
from grounded_builder.domains.n8n.rehearsal.answers.question import Question
from grounded_builder.domains.n8n.rehearsal.exchange import Request

_LANGUAGE = ("method", "host", "path", "query", "body")


def fits_request(described: Mapping[str, Any], request: Request) -> bool:
    """Returns whether a request is as described."""
    known = {key: described[key] for key in _LANGUAGE if key in described}
    if not match.fits_request(known, match.Sent("", request)):
        return False
    if "model" in described and described["model"] != (prompt_of(request) is not None):
        return False
    if any(fnmatchcase(request.host, pattern) for pattern in described.get("not_host", ())):
        return False
    return fits_text(described, read_text(request))


def fits_text(described: Mapping[str, Any], text: str) -> bool:
    """Returns whether a text has the texts and patterns of a description."""
    folded = text.casefold()
    if not all(str(part).casefold() in folded for part in described.get("has", ())):
        return False
    if "pattern" in described and not re.search(described["pattern"], text, re.IGNORECASE):
        return False
    unwanted = described.get("not_pattern")
    return unwanted is None or not re.search(unwanted, text, re.IGNORECASE)


def prompt_of(request: Request) -> ChatPrompt | None:
    """Returns what a request asks of a chat model, None for any other request."""
    return read_prompt(Question(request))


def read_text(request: Request) -> str:
    """Returns all that a request says: its URL, its body without escapes, and the mail in it."""
    parts = [request.url, unquote_plus(request.url)]
    text = request.body.decode("utf-8", "replace")
    parts.append(unquote_plus(text) if _is_form(request) else text)
    content: Any = None
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        parts.append("\n".join(_texts_in(content)))
    if isinstance(content, Mapping) and isinstance(content.get("raw"), str):
        with suppress(ValueError):
            raw = content["raw"]
            parts.append(_read_mail(urlsafe_b64decode(raw + "=" * (-len(raw) % 4))))
    elif "message/rfc822" in request.headers.get("content-type", ""):
        parts.append(_read_mail(request.body))
    return "\n".join(parts)


def _is_form(request: Request) -> bool:
    return "urlencoded" in request.headers.get("content-type", "")


def _texts_in(value: Any) -> Iterator[str]:
    """Yields the keys and texts of a value; text that is JSON itself is read too."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item)
    elif isinstance(value, str):
        yield value
        if value[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                yield from _texts_in(json.loads(value))
    else:
        yield json.dumps(value)


def _read_mail(raw: bytes) -> str:
    message = message_from_bytes(raw, policy=policy.default)
    parts = [f"{name}: {value}" for name, value in message.items()]
    for part in message.walk():
        if part.get_content_maintype() == "text":
            with suppress(LookupError, KeyError):
                parts.append(str(part.get_content()))
    return "\n".join(parts)
