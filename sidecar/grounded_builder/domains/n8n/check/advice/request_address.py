"""Parses the host and path of a request URL that may contain expressions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.catalog.text_cleaning import sub_closed

WILDCARD = "*"
# Length of the parsed part of a URL, in characters.
_MAX_LENGTH = 2000

# An expression that begins with a literal address: ={{ "https://api.acme.test/" + $json.id }}.
_LITERAL_START = re.compile(
    r"^\{\{\s*(?P<quote>['\"`])(?P<text>https?://(?:(?!(?P=quote)).)*)(?P=quote)(?P<more>.*)",
    re.DOTALL,
)
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_TEMPLATE_FIELD = re.compile(r"\$\{[^{}]*\}")
_ADDRESS = re.compile(
    r"^\s*https?://(?P<host>[^/?#\s:]+)(?::\d+)?(?P<path>[^?#\s]*)", re.IGNORECASE
)
_LABEL = re.compile(r"^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$")


@dataclass(frozen=True, slots=True)
class Address:
    """Host and path of a request URL.

    The host is in lower case, with ``*.`` for an unknown beginning; a path part that is known only
    at run time is ``*``.
    """

    host: str
    path: tuple[str, ...]


def parse_address(url: object) -> Address | None:
    """Returns the address of a URL parameter, None if it does not determine the host."""
    if not isinstance(url, str):
        return None
    text = url[:_MAX_LENGTH].removeprefix("=").lstrip()
    inside = _LITERAL_START.match(text)
    if inside:
        open_end = WILDCARD if inside["more"].strip(" \n}") else ""
        text = inside["text"] + open_end
    match = _ADDRESS.match(
        _TEMPLATE_FIELD.sub(WILDCARD, sub_closed(_EXPRESSION, "}}", WILDCARD, text))
    )
    if match is None:
        return None
    host = _parse_host(match["host"].lower())
    if host is None:
        return None
    parts = (WILDCARD if WILDCARD in part else part for part in match["path"].split("/") if part)
    return Address(host, tuple(parts))


def _parse_host(text: str) -> str | None:
    labels = text.split(".")
    unknown = max((index for index, label in enumerate(labels) if WILDCARD in label), default=-1)
    known = labels[unknown + 1 :]
    if len(known) < 2 or not all(_LABEL.match(label) for label in known) or known[-1].isdigit():
        return None
    return ".".join(known) if unknown < 0 else ".".join((WILDCARD, *known))
