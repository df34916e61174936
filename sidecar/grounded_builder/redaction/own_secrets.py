"""Registers the sidecar's own keys, and removes them from logs, stored texts and answers.

Settings name the keys. They are hidden in logs, stored texts and errors, and in the answers of
other services.
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
_MIN_CHARS = 6
_MIN_WORD_CHARS = 16


def list_secret_forms(*keys: str) -> tuple[bytes, ...]:
    """Returns the encoded forms of these keys that an answer can contain, the longest first.

    The forms are the key itself, base64 in both alphabets, URL-quoted, and as JSON.
    """
    forms: set[bytes] = set()
    for key in keys:
        if len(key) < _MIN_CHARS:
            continue
        raw = key.encode("utf-8", "surrogateescape")
        forms |= {raw, quote(key, safe="").encode(), quote_plus(key).encode()}
        forms |= {json.dumps(key)[1:-1].encode(), key.encode("unicode_escape")}
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            forms |= {encode(raw), encode(raw).rstrip(b"=")}
            # Inside a longer text the key begins at any of three places of a group.
            forms |= {encode(b"\0" * shift + raw)[4:-4] for shift in (1, 2)}
        forms.add(raw.hex().encode())
    return tuple(sorted((form for form in forms if len(form) >= _MIN_CHARS), key=len, reverse=True))


def hide_secret_forms(content: bytes, forms: Iterable[bytes]) -> bytes:
    """Returns an answer with the sidecar's own keys replaced by a mark."""
    mark = MARK.encode()
    for form in forms:
        if form in content:
            content = content.replace(form, mark)
    return content


class _OwnKeys:
    """The keys of this process, and their encoded forms, the longest first."""

    keys: frozenset[str] = frozenset()
    forms: tuple[str, ...] = ()


def register_own_secrets(*keys: str | None) -> None:
    """Hides these keys from now on in logs, stored texts and errors.

    A key that is a word, such as the password "postgres", is not hidden: other texts contain it.
    """
    known = _OwnKeys.keys | {key for key in keys if key is not None and not _is_word(key)}
    if known == _OwnKeys.keys:
        return
    _OwnKeys.keys = known
    _OwnKeys.forms = tuple(form.decode("utf-8", "replace") for form in list_secret_forms(*known))
    _install_log_filter()


def _is_word(key: str) -> bool:
    return len(key) < _MIN_CHARS or (len(key) < _MIN_WORD_CHARS and key.isalpha())


def find_own_secrets(text: str) -> Iterator[str]:
    """Returns the sidecar's own keys in a text, each in its form there."""
    return (form for form in _OwnKeys.forms if form in text)


def remove_own_secrets(text: str) -> str:
    """Returns a text with the sidecar's own keys replaced by a mark."""
    for form in find_own_secrets(text):
        text = text.replace(form, MARK)
    return text


@cache
def _install_log_filter() -> None:
    make_record = logging.getLogRecordFactory()
    formatter = logging.Formatter()

    def make_clean_record(*arguments: Any, **options: Any) -> logging.LogRecord:
        record = make_record(*arguments, **options)
        message = record.getMessage()
        clean = remove_own_secrets(message)
        if clean != message:
            record.msg, record.args = clean, ()
        if record.exc_info and not record.exc_text:
            record.exc_text = remove_own_secrets(formatter.formatException(record.exc_info))
        return record

    logging.setLogRecordFactory(make_clean_record)
