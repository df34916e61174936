"""Creates, lists and removes tokens of the HTTP interface, which are stored as hashes."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from sqlalchemy import Connection, delete, insert, select
from ulid import ULID

from grounded_builder.ir.options import Switches, read_switches
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.schema import TOKENS
from grounded_builder.storage.timestamps import utc_now

Scope = Literal["validate", "draft", "import", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

_PREFIX = "grounded_"


class LastAdminError(StorageError):
    """Without this token no other could be created."""

    code = "last-admin"
    help = "create another admin token first"


class PolicyOfAdminError(StorageError):
    """A policy on an admin token would have no effect."""

    code = "bad-argument"
    help = "omit the policy or the scope admin"


@dataclass(frozen=True, slots=True)
class Token:
    """The stored facts of a token; ``hash`` is SHA-256 in hex, the token text is not stored.

    ``switches`` are its policy restrictions.
    """

    id: str
    hash: str
    label: str
    scopes: frozenset[Scope]
    created_at: str
    switches: Switches = field(default_factory=Switches)

    def allows(self, scope: Scope) -> bool:
        """Returns whether the token may use routes of this scope; admin may use all."""
        return scope in self.scopes or "admin" in self.scopes

    def as_json(self) -> dict[str, Any]:
        """Returns the public facts of the token: everything but its hash."""
        return {
            "id": self.id,
            "label": self.label,
            "scopes": sorted(self.scopes),
            "created_at": self.created_at,
            "policy": self.switches.as_json(),
        }


def make(
    connection: Connection, label: str, scopes: Iterable[Scope], switches: Switches | None = None
) -> tuple[Token, str]:
    """Creates a token; the second value is the token text, available only now.

    Raises PolicyOfAdminError where the scope admin comes with a policy.
    """
    scopes = frozenset(scopes)
    if "admin" in scopes and switches not in (None, Switches()):
        raise PolicyOfAdminError(
            "a token with scope admin takes no policy: it could create one without"
        )
    text = _PREFIX + secrets.token_urlsafe(32)
    narrowed = switches or Switches()
    token = Token(str(ULID()), hash_of(text), label, frozenset(scopes), utc_now(), narrowed)
    connection.execute(
        insert(TOKENS).values(
            id=token.id,
            hash=token.hash,
            label=label,
            scopes=" ".join(sorted(token.scopes)),
            created_at=token.created_at,
            policy=json.dumps(token.switches.as_json()) if token.switches.as_json() else None,
        )
    )
    return token, text


def list_tokens(connection: Connection) -> tuple[Token, ...]:
    """Returns all tokens, oldest first."""
    rows = connection.execute(select(TOKENS).order_by(TOKENS.c.created_at, TOKENS.c.id))
    return tuple(
        Token(
            id=row.id,
            hash=row.hash,
            label=row.label,
            scopes=frozenset(scope for scope in SCOPES if scope in row.scopes.split()),
            created_at=row.created_at,
            switches=read_switches(json.loads(row.policy)) if row.policy else Switches(),
        )
        for row in rows
    )


def has_admin(connection: Connection) -> bool:
    """Returns whether any token has the scope admin."""
    return any(token.allows("admin") for token in list_tokens(connection))


def drop(connection: Connection, token_id: str) -> bool:
    """Removes a token; returns whether it existed.

    Raises LastAdminError where no admin token would be left.
    """
    tokens = {token.id: token for token in list_tokens(connection)}
    token = tokens.pop(token_id, None)
    if token is None:
        return False
    if token.allows("admin") and not any(other.allows("admin") for other in tokens.values()):
        raise LastAdminError("this is the last token with scope admin")
    connection.execute(delete(TOKENS).where(TOKENS.c.id == token_id))
    return True


def hash_of(text: str) -> str:
    """Returns SHA-256 of a token in hex; a token is random, so no salt is needed."""
    return hashlib.sha256(text.encode()).hexdigest()
