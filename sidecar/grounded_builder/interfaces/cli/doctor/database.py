"""Checks the database, the keys stored in it, and the file of the first token."""

from __future__ import annotations

import stat
from pathlib import Path

from grounded_builder.interfaces.cli.doctor.finding import Observation
from grounded_builder.storage.errors import DatabaseNewerError
from grounded_builder.storage.inspect import Condition
from grounded_builder.storage.installation import (
    INSTANCE,
    PATH_SECRET,
    RECEIPT_KEY,
    TOKEN_FILE,
)
from grounded_builder.storage.tokens import hash_of

_DATABASE, _KEYS, _TOKEN = "database", "keys", "token"
_FIRST_START = "created at the first start of `grounded serve`"


def check_database(condition: Condition) -> Observation:
    """Returns whether the database answers, is intact, and is at the revision of this version."""
    place = f"{condition.kind} {condition.place}".strip()
    if condition.fault is not None:
        return Observation(_DATABASE, "failed", str(condition.fault), condition.fault.help)
    if condition.revision is None:
        return Observation(_DATABASE, "absent", f"{place} is created on first use")
    if condition.is_current:
        return Observation(_DATABASE, "ok", f"{place}, revision {condition.revision}")
    text = f"{place} is at revision {condition.revision}, this version needs {condition.head}"
    if condition.revision > condition.head:
        return Observation(_DATABASE, "failed", text, DatabaseNewerError.help)
    help_text = "the next command migrates it; make a copy first"
    return Observation(_DATABASE, "doubtful", text, help_text)


def check_keys(condition: Condition, receipt_key: str | None) -> Observation:
    """Returns whether receipts can be signed and paths derived with the same keys as before."""
    missing = {RECEIPT_KEY, PATH_SECRET, INSTANCE} - condition.keys
    if missing == {RECEIPT_KEY, PATH_SECRET, INSTANCE}:
        return Observation(_KEYS, "absent", "none yet: created on first use")
    if missing:
        text = f"missing in the database: {', '.join(sorted(missing))}"
        help_text = "new keys are created on next use; restore a backup to recover the old ones"
        return Observation(_KEYS, "doubtful", text, help_text)
    if receipt_key is not None:
        return Observation(_KEYS, "ok", "in the database; receipts use GROUNDED_RECEIPT_KEY")
    return Observation(_KEYS, "ok", "in the database")


def check_token(condition: Condition, state: Path) -> Observation:
    """Returns whether the token in its file is valid, and readable by its owner only."""
    file = state / TOKEN_FILE
    if not file.exists():
        if not condition.tokens:
            return Observation(_TOKEN, "absent", f"none yet: {_FIRST_START}")
        text = f"{len(condition.tokens)} tokens, no file {file}"
        return Observation(_TOKEN, "ok", text)
    mode = stat.S_IMODE(file.stat().st_mode)
    if mode & 0o077:
        text = f"others can read {file} (mode {mode:04o})"
        return Observation(_TOKEN, "failed", text, f"chmod 600 {file}")
    try:
        secret = file.read_text().strip()
    except OSError as error:
        text = f"{file} cannot be read: {error.strerror}"
        return Observation(
            _TOKEN, "failed", text, "make it readable for the user who runs `grounded`"
        )
    if hash_of(secret) not in condition.tokens:
        text = f"the token in {file} is not in this database"
        help_text = "remove the file; `grounded serve` creates a new token if none is left"
        return Observation(_TOKEN, "doubtful", text, help_text)
    return Observation(_TOKEN, "ok", f"{file}, mode {mode:04o}")
