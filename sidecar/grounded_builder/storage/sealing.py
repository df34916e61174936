"""Keep a JSON value that has to come back to the byte, so that its text is not in the database.

The key is the installation's own and lies in the same database: a copy of one table, a log or a
search shows nothing, whoever has the whole database can read it.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from cryptography.fernet import Fernet
from sqlalchemy import Connection

from grounded_builder.storage.clean_text import CleanText
from grounded_builder.storage.json_column import dumped, loaded
from grounded_builder.storage.keys import made_once

_NAME = "seal-key"


_PREFIX = "sealed:"


def seal(connection: Connection, value: Any) -> CleanText:
    """Returns the value encrypted, as a text."""
    return CleanText(_PREFIX + _cipher(connection).encrypt(dumped(value).encode()).decode())


def unseal(connection: Connection, text: str | None) -> Any:
    """Returns the value that was sealed, or the JSON value of a text that was stored unsealed."""
    if text is None or not is_sealed(text):
        return loaded(text)
    return loaded(_cipher(connection).decrypt(text.removeprefix(_PREFIX)).decode())


def is_sealed(text: str) -> bool:
    """Tells whether a stored text was sealed."""
    return text.startswith(_PREFIX)


def _cipher(connection: Connection) -> Fernet:
    key = hashlib.sha256(made_once(connection, _NAME).encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
