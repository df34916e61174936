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

from grounded_builder.storage.json_column import dumped, loaded
from grounded_builder.storage.keys import made_once

_NAME = "seal-key"


def seal(connection: Connection, value: Any) -> str:
    """Return the value encrypted, as hexadecimal figures, which no pattern of secrets takes."""
    return _cipher(connection).encrypt(dumped(value).encode()).hex()


def unseal(connection: Connection, text: str) -> Any:
    """Return the value that was sealed."""
    return loaded(_cipher(connection).decrypt(bytes.fromhex(text)).decode())


def _cipher(connection: Connection) -> Fernet:
    key = hashlib.sha256(made_once(connection, _NAME).encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
