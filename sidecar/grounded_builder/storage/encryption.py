"""Encrypts JSON values that must be stored without redaction, and decrypts them.

The key is the installation's own and is in the same database: a copy of one table, a log or a
search shows nothing, but whoever has the whole database can decrypt the values.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from cryptography.fernet import Fernet
from sqlalchemy import Connection

from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.storage.keys import get_or_create
from grounded_builder.storage.stored_text import CleanText, load_json

_NAME = "seal-key"


_PREFIX = "sealed:"


def seal(connection: Connection, value: Any) -> CleanText:
    """Returns the value encrypted, as a text."""
    return CleanText(_PREFIX + _cipher(connection).encrypt(dump_json(value).encode()).decode())


def unseal(connection: Connection, text: str | None) -> Any:
    """Returns the sealed value, or the JSON value of a text that was stored unsealed."""
    if text is None or not is_sealed(text):
        return load_json(text)
    return load_json(_cipher(connection).decrypt(text.removeprefix(_PREFIX)).decode())


def is_sealed(text: str) -> bool:
    """Returns whether a stored text is sealed."""
    return text.startswith(_PREFIX)


def _cipher(connection: Connection) -> Fernet:
    key = hashlib.sha256(get_or_create(connection, _NAME).encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
