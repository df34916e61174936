"""Determines whether an n8n answers, its version, its clock, and what its API key may read.

The page of the editor shows the release to everybody (measured on n8n 2.41.1); the public API does
not.
"""

from __future__ import annotations

import base64
import binascii
import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import orjson

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.deploy.client import diagnose
from grounded_builder.domains.n8n.deploy.http import Bounds, N8nError, Wire

_BOUNDS = Bounds(connect_s=3.0, read_s=5.0, whole_s=10.0, answer_bytes=4_000_000)
_CONFIGURED = re.compile(rb'<meta name="n8n:config:sentry" content="([A-Za-z0-9+/=]{1,4000})">')
_RELEASE = re.compile(r"n8n@(\d+\.\d+\.\d+[\w.+-]{0,40})")
_LISTS = ("workflows", "credentials", "executions")


@dataclass(frozen=True, slots=True)
class Condition:
    """The status of one n8n; ``url`` is None where none is configured.

    ``fault`` is the reason why it cannot be used, ``closed`` the lists without access for the key.
    ``ahead_s`` is the difference of its clock to the local one, in whole seconds.
    """

    url: str | None
    version: str | None = None
    ahead_s: float | None = None
    has_key: bool = False
    closed: tuple[str, ...] = ()
    fault: Diagnostic | None = None


def condition_of(url: str | None, api_key: str | None) -> Condition:
    """Requests the page of this n8n and, with a key, the beginning of its lists."""
    if url is None:
        return Condition(None)
    wire = Wire(url.rstrip("/"), api_key or "", _BOUNDS)
    version = ahead = fault = None
    closed: tuple[str, ...] = ()
    try:
        before = time.time()
        content, date = wire.page("/")
        version, ahead = version_in(content), _ahead(date, before, time.time())
        closed = _closed_lists(wire) if api_key else ()
    except N8nError as error:
        fault = diagnose(error)
    finally:
        wire.close()
    return Condition(url, version, ahead, api_key is not None, closed, fault)


def version_in(page: bytes) -> str | None:
    """Returns the release in n8n's page; None for any other page."""
    configured = _CONFIGURED.search(page)
    if configured is None:
        return None
    try:
        value = orjson.loads(base64.b64decode(configured[1], validate=True))
    except (binascii.Error, orjson.JSONDecodeError):
        return None
    release = value.get("release") if isinstance(value, dict) else None
    named = _RELEASE.fullmatch(release) if isinstance(release, str) else None
    return named[1] if named else None


def _closed_lists(wire: Wire) -> tuple[str, ...]:
    refused = []
    for list_name in _LISTS:
        try:
            wire.call("GET", f"/{list_name}?limit=1")
        except N8nError as error:
            # An older n8n without this list does not know the address.
            if error.kind == "invalid-api-key" and list_name != _LISTS[0]:
                refused.append(list_name)
            elif list_name == _LISTS[0] or error.status not in (404, 405):
                raise
    return tuple(refused)


def _ahead(date: str, before: float, after: float) -> float | None:
    """Returns how far the other clock is ahead; 0 within the duration of the request."""
    try:
        timestamp = parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
    # The header is truncated to whole seconds.
    if before - 1 <= timestamp <= after:
        return 0.0
    return timestamp - after if timestamp > after else timestamp - before
