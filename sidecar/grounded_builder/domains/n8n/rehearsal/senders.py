"""Finds the invented secret that signed a request, by which its node is known."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator, Mapping

from grounded_builder.domains.n8n.rehearsal.exchange import Request
from grounded_builder.domains.n8n.rehearsal.invented_credentials import INVENTED

_MARK = re.compile(rf"{INVENTED}-[a-z0-9_]{{1,80}}-[0-9]{{1,4}}(?![0-9])")
_SEARCHED_BODY = 20_000
_SEARCHED_WORD = 4_000


def find_mark(request: Request, owners: Mapping[str, str]) -> str | None:
    """Returns the mark of the credential that signed a request, None without such a secret."""
    for text in _list_texts(request):
        for mark in _MARK.findall(text.lower()):
            if mark in owners:
                return str(mark)
    return None


def _list_texts(request: Request) -> Iterator[str]:
    """Yields the texts of a request, and those that Basic and JWT logins encode."""
    yield request.url
    for value in request.headers.values():
        yield value[:_SEARCHED_WORD]
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        yield _decode_word(secret)
    elif scheme.lower() == "bearer":
        yield from map(_decode_word, secret.split("."))
    body = request.body[:_SEARCHED_BODY].decode("latin-1")
    yield body
    if "assertion=" in body:
        yield from map(_decode_word, body.split("assertion=")[1].partition("&")[0].split("."))


def _decode_word(word: str) -> str:
    text = word[:_SEARCHED_WORD].rstrip("=")
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("latin-1")
    except (Base64Error, ValueError):
        return ""
