"""Creates and reads the keys of an installation, and writes its first token to a file."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import Engine

from grounded_builder.compiler.receipt import Signer
from grounded_builder.storage import keys, tokens
from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.tokens import SCOPES

RECEIPT_KEY = "receipt-key"
PATH_SECRET = "path-secret"  # noqa: S105 - the name of a secret, not the secret
INSTANCE = "instance"
TOKEN_FILE = "token"  # noqa: S105 - the name of a file


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys of an installation; ``instance`` names it in receipts."""

    instance: str
    signer: Signer = field(repr=False)
    path_secret: bytes = field(repr=False)


def secrets_of(engine: Engine, receipt_key: str | None = None) -> Secrets:
    """Returns the keys of this installation, created the first time; ``receipt_key`` replaces its
    own.
    """
    with begin_read(engine) as connection:
        secrets_by_name = keys.all_secrets(connection)
    names = (RECEIPT_KEY, PATH_SECRET, INSTANCE)
    if any(name not in secrets_by_name for name in names):
        with begin_write(engine) as connection:
            secrets_by_name = {name: keys.get_or_create(connection, name) for name in names}
    key = receipt_key or secrets_by_name[RECEIPT_KEY]
    return Secrets(
        instance=secrets_by_name[INSTANCE][:16],
        signer=Signer.of(key.encode()),
        path_secret=secrets_by_name[PATH_SECRET].encode(),
    )


def first_token(engine: Engine, path: Path) -> None:
    """Creates the admin token if there is none yet, and writes it to a file of mode 0600."""
    with begin_read(engine) as connection:
        exists = tokens.has_admin(connection)
    if exists:
        return
    with begin_write(engine) as connection:
        if not tokens.has_admin(connection):
            _, secret = tokens.make(connection, "created at first start", SCOPES)
            # Written before the commit: an unknown token would be useless.
            write_private(path, secret + "\n")


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner can read, whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
    partial.replace(path)
