"""Read where a request goes off an address that may be an expression."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grounded_builder.catalog.sanitize import sub_closed

ANY = "*"
# Characters of an address that are looked at.
_LONGEST = 2000

# An expression that begins with a literal address: ={{ "https://api.acme.test/" + $json.id }}.
_INSIDE = re.compile(
    r"^\{\{\s*(?P<quote>['\"`])(?P<text>https?://(?:(?!(?P=quote)).)*)(?P=quote)(?P<more>.*)",
    re.DOTALL,
)
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_SHELL = re.compile(r"\$\{[^{}]*\}")
_ADDRESS = re.compile(
    r"^\s*https?://(?P<host>[^/?#\s:]+)(?::\d+)?(?P<path>[^?#\s]*)", re.IGNORECASE
)
_LABEL = re.compile(r"^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$")


@dataclass(frozen=True, slots=True)
class Address:
    """A host in lower case, ``*.`` before it where its beginning is unknown, and the path's parts.

    A part of the path that is only known at run time is ``*``.
    """

    host: str
    path: tuple[str, ...]


def address_of(url: object) -> Address | None:
    """The address in a URL parameter, None where the host is not told by it."""
    if not isinstance(url, str):
        return None
    text = url[:_LONGEST].removeprefix("=").lstrip()
    inside = _INSIDE.match(text)
    if inside:
        open_end = ANY if inside["more"].strip(" \n}") else ""
        text = inside["text"] + open_end
    match = _ADDRESS.match(_SHELL.sub(ANY, sub_closed(_EXPRESSION, "}}", ANY, text)))
    if match is None:
        return None
    host = _host(match["host"].lower())
    if host is None:
        return None
    parts = (ANY if ANY in part else part for part in match["path"].split("/") if part)
    return Address(host, tuple(parts))


def _host(text: str) -> str | None:
    labels = text.split(".")
    unknown = max((index for index, label in enumerate(labels) if ANY in label), default=-1)
    known = labels[unknown + 1 :]
    if len(known) < 2 or not all(_LABEL.match(label) for label in known) or known[-1].isdigit():
        return None
    return ".".join(known) if unknown < 0 else ".".join((ANY, *known))
