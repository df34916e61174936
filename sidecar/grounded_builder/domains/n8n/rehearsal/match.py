"""Compares requests and values with their descriptions in expectations."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email import message_from_bytes
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import parse_qsl, unquote

from grounded_builder.domains.n8n.rehearsal.exchange import Request

_SHOWN = 160
_MAX_MAIL = 1_000_000


@dataclass(frozen=True, slots=True)
class Sent:
    """A request with the node that sent it, "" where that is not known."""

    node: str
    request: Request


def fits_request(wanted: Mapping[str, Any], sent: Sent) -> bool:
    """Returns whether a request is as described."""
    request = sent.request
    path = request.parts.path
    texts = {
        "node": (sent.node,),
        "protocol": (request.parts.scheme,),
        "method": (request.method,),
        "host": (request.host,),
        "path": (path, unquote(path)),
    }
    for key, readings in texts.items():
        if key in wanted and not any(fits_text(wanted[key], text) for text in readings):
            return False
    if "query" in wanted and not fits(wanted["query"], dict(request.query)):
        return False
    kind = request.headers.get("content-type", "")
    return "body" not in wanted or any(
        fits(wanted["body"], body) for body in read_bodies(request.body, kind)
    )


def read_bodies(body: bytes, kind: str) -> Iterator[Any]:
    """Yields the readings of a body: JSON, a mail in it, the fields of a form, its text."""
    text = body.decode("utf-8", "replace")
    content: Any = None
    with suppress(ValueError, RecursionError):
        content = json.loads(text)
        yield content
    mail = _find_mail(content)
    if mail is not None:
        yield mail
    if "urlencoded" in kind:
        yield dict(parse_qsl(text, keep_blank_values=True))
    elif kind.startswith("multipart/") and len(body) <= _MAX_MAIL:
        yield _read_parts(body, kind)
    yield text


def _read_parts(body: bytes, kind: str) -> Mapping[str, str]:
    """Returns the fields of a form in parts (RFC 7578); that of a file has the name of the file."""
    message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + body)
    fields: dict[str, str] = {}
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            fields[name] = part.get_filename() or content.decode("utf-8", "replace")
    return fields


def _find_mail(content: Any) -> Mapping[str, str] | None:
    """Returns the headers and the text of the mail that Gmail's interface takes as ``raw``.

    https://developers.google.com/workspace/gmail/api/reference/rest/v1/users.messages: the whole
    message in RFC 2822 format, as base64url; a draft has it under ``message``.
    """
    holders = (content, content.get("message")) if isinstance(content, Mapping) else ()
    for holder in holders:
        raw = holder.get("raw") if isinstance(holder, Mapping) else None
        if not isinstance(raw, str) or len(raw) > _MAX_MAIL:
            continue
        try:
            mail = message_from_bytes(urlsafe_b64decode(raw + "=" * (-len(raw) % 4)))
        except (Base64Error, ValueError):
            continue
        payloads = (
            part.get_payload(decode=True)
            for part in mail.walk()
            if part.get_content_maintype() == "text"
        )
        texts = [part.decode("utf-8", "replace") for part in payloads if isinstance(part, bytes)]
        headers = {name.casefold(): str(value) for name, value in mail.items()}
        return {**headers, "text": "\n".join(texts)}
    return None


def fits(wanted: Any, value: Any) -> bool:
    """Returns whether a value is as described; a number and its text are equal."""
    if isinstance(wanted, Mapping):
        if wanted.keys() == {"contains"}:
            return _contains(wanted["contains"], value)
        if wanted.keys() == {"not"}:
            return not fits(wanted["not"], value)
        if wanted.keys() == {"exists"}:
            return bool(wanted["exists"])
        return isinstance(value, Mapping) and all(
            fits(item, value[key]) if key in value else _is_absence(item)
            for key, item in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(value, list)
            and len(wanted) == len(value)
            and all(fits(item, given) for item, given in zip(wanted, value, strict=True))
        )
    if isinstance(wanted, str):
        return fits_text(wanted, value if isinstance(value, str) else shorten(value))
    return bool(wanted == value) or (not isinstance(wanted, bool) and str(wanted) == str(value))


def _is_absence(wanted: Any) -> bool:
    """Returns whether a description is met by a field that is not there."""
    is_negation = isinstance(wanted, Mapping) and wanted.keys() == {"not"}
    return bool(wanted == {"exists": False} or is_negation)


def _contains(wanted: Any, value: Any) -> bool:
    if isinstance(wanted, list):
        return all(_contains(item, value) for item in wanted)
    if isinstance(value, list):
        return any(fits(wanted, item) or _contains(wanted, item) for item in value)
    if isinstance(wanted, Mapping):
        return fits(wanted, value)
    if isinstance(value, Mapping):
        return any(_contains(wanted, item) for item in value.values())
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    needle = wanted if isinstance(wanted, str) else json.dumps(wanted, ensure_ascii=False)
    return needle.casefold() in text.casefold()


def fits_text(wanted: str, text: str) -> bool:
    """Returns whether a text is as described, whatever its case; only ``*`` is special."""
    pattern = wanted.casefold().replace("[", "[[]").replace("?", "[?]")
    return fnmatchcase(text.casefold(), pattern)


def shorten(value: Any) -> str:
    """Returns the beginning of a value as JSON."""
    return json.dumps(value, ensure_ascii=False)[:_SHOWN]


def describe(sent: Sent) -> str:
    """Returns the method, the URL and the beginning of the body of a request."""
    body = sent.request.body.decode("utf-8", "replace")
    return f"{sent.request.method} {sent.request.url} {body}"[:_SHOWN]
