"""Take the sidecar's own keys out of every text that leaves it, whoever wrote that.

Settings name the keys. They are hidden in what is logged, stored and answered as an error, and in
what other services answer.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any
from urllib.parse import quote, quote_plus

MARK = "[redacted]"
# A shorter key would be found in other words; no service gives such a key.
_SHORTEST = 6
_SHORTEST_WORD = 16


def own_secrets(*keys: str) -> tuple[bytes, ...]:
    """Return the forms in which an answer could repeat these keys, the longest first.

    As it is, in base64 of either alphabet, in an address, and in JSON.
    """
    forms: set[bytes] = set()
    for key in keys:
        if len(key) < _SHORTEST:
            continue
        raw = key.encode("utf-8", "surrogateescape")
        forms |= {raw, quote(key, safe="").encode(), quote_plus(key).encode()}
        forms |= {json.dumps(key)[1:-1].encode(), key.encode("unicode_escape")}
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms |= {encode(raw), encode(raw).rstrip(b"=")}
            # Inside a longer text the key begins at any of three places of a group.
            forms |= {encode(b"\0" * shift + raw)[4:-4] for shift in (1, 2)}
        forms.add(raw.hex().encode())
    return tuple(sorted((form for form in forms if len(form) >= _SHORTEST), key=len, reverse=True))


def hide_own(content: bytes, forms: Iterable[bytes]) -> bytes:
    """Return what somebody answered with a mark in the place of the sidecar's own keys."""
    mark = MARK.encode()
    for form in forms:
        if form in content:
            content = content.replace(form, mark)
    return content


class _OwnKeys:
    """The keys of this process, and the texts in which they could appear, the longest first."""

    keys: frozenset[str] = frozenset()
    forms: tuple[str, ...] = ()


def remember_own(*keys: str | None) -> None:
    """Hide these keys from now on in what is logged, stored and answered as an error.

    One that is a word, such as the password "postgres", is not: it would take other texts apart.
    """
    known = _OwnKeys.keys | {key for key in keys if key is not None and not _is_word(key)}
    if known == _OwnKeys.keys:
        return
    _OwnKeys.keys = known
    _OwnKeys.forms = tuple(form.decode("utf-8", "replace") for form in own_secrets(*known))
    _hide_in_logs()


def _is_word(key: str) -> bool:
    return len(key) < _SHORTEST or (len(key) < _SHORTEST_WORD and key.isalpha())


def own_secrets_in(text: str) -> Iterator[str]:
    """The sidecar's own keys that a text holds, in the form that they have there."""
    return (form for form in _OwnKeys.forms if form in text)


def without_own(text: str) -> str:
    """Return a text with a mark in the place of the sidecar's own keys."""
    for form in own_secrets_in(text):
        text = text.replace(form, MARK)
    return text


@cache
def _hide_in_logs() -> None:
    make_record = logging.getLogRecordFactory()
    formatter = logging.Formatter()

    def make_clean_record(*arguments: Any, **options: Any) -> logging.LogRecord:
        record = make_record(*arguments, **options)
        message = record.getMessage()
        clean = without_own(message)
        if clean != message:
            record.msg, record.args = clean, ()
        if record.exc_info and not record.exc_text:
            record.exc_text = without_own(formatter.formatException(record.exc_info))
        return record

    logging.setLogRecordFactory(make_clean_record)
