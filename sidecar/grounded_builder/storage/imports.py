"""Stores the progress of imports into n8n, the process that holds each, and approved findings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal
from uuid import uuid4

import orjson
from sqlalchemy import Connection, Engine, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from grounded_builder.redaction.redact import without_secrets
from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.encryption import seal, unseal
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.heartbeat import HEARTBEAT, LEASE_S, is_held
from grounded_builder.storage.lock_owner import process_id
from grounded_builder.storage.schema import IMPORTS
from grounded_builder.storage.stored_text import CleanText
from grounded_builder.storage.timestamps import utc_now

State = Literal["started", "created", "read-back", "published", "failed", "rolled-back"]

# The longest time of one step of an import; a longer step counts as stuck.
_STEP_S = 120.0
_PROBLEM = 2_000


class LostClaimError(StorageError):
    """Another program has taken this import over, because this one was silent for too long."""

    code = "import-taken-over"
    help = "repeat the import with the same key: it continues from its last step"


@dataclass(frozen=True, slots=True)
class Entry:
    """One import of one artifact into one n8n.

    ``instance`` is the address of the n8n, ``target`` the workflow to replace, ``earlier`` the ids
    of workflows that looked the same before anything was sent, None until they were listed,
    ``previous`` the replaced version, ``version_id`` n8n's id of the written version,
    ``is_interrupted`` whether a program ended during the import; times are ISO 8601, UTC.
    """

    instance: str
    key: str
    artifact: str
    state: State
    target: str | None
    workflow_id: str | None
    version_id: str | None
    earlier: tuple[str, ...] | None
    previous: Mapping[str, Any] | None
    problem: str | None
    started_at: str
    changed_at: str
    is_interrupted: bool = False


class ImportLedger:
    """The rows of one n8n instance; a held row is a lock."""

    def __init__(self, engine: Engine, instance: str) -> None:
        self._engine = engine
        self._instance = instance
        self._holder = f"{process_id()}/{uuid4().hex}"

    def claim(self, key: str, artifact: str, target: str | None) -> Entry | None:
        """Takes the import of this key, creating its row the first time; None while another process
        holds it.

        The row of a program that ended, or was silent for LEASE_S seconds, is taken over unchanged.
        The claim is renewed until its release.
        """
        now = utc_now()
        with begin_write(self._engine) as connection:
            row = self._row(connection, key)
            if row is not None and is_held(row.holder, row.held_until):
                return None
            hold = {"holder": self._holder, "held_until": utc_now(LEASE_S)}
            if row is None:
                first = {"artifact": artifact, "target": target, "state": "started"}
                times = {"started_at": now, "changed_at": now}
                place = {"instance": self._instance, "key": stored_key(key)}
                values = {**place, **first, **times, **hold}
                try:
                    with connection.begin_nested():
                        connection.execute(insert(IMPORTS).values(values))
                except IntegrityError:
                    return None
            else:
                # Of two programs that see the same abandoned row, one changes it.
                unchanged = IMPORTS.c.holder.is_not_distinct_from(row.holder)
                taken = update(IMPORTS).where(*self._has_key(key), unchanged).values(**hold)
                if connection.execute(taken).rowcount != 1:
                    return None
            interrupted = row is not None and row.holder is not None
            row = self._row(connection, key)
            if row is None:
                return None
            entry = _entry(connection, row, interrupted=interrupted)
        self._hold(key)
        return entry

    def restart(self, key: str, artifact: str, target: str | None) -> Entry:
        """Starts a held import from the beginning."""
        return self._note(
            key,
            artifact=artifact,
            target=target,
            state="started",
            workflow_id=None,
            version_id=None,
            earlier=None,
            previous=None,
            problem=None,
            started_at=utc_now(),
        )

    def before(
        self, key: str, earlier: tuple[str, ...], previous: Mapping[str, Any] | None
    ) -> Entry:
        """Records the existing workflows before anything is sent."""
        return self._note(key, previous_workflow=previous, earlier=orjson.dumps(earlier).decode())

    def record_progress(
        self,
        key: str,
        state: State,
        *,
        workflow_id: str | None,
        version_id: str | None = None,
        problem: str | None = None,
    ) -> Entry:
        """Records the progress of a held import; it stays held."""
        return self._note(
            key,
            state=state,
            workflow_id=workflow_id,
            version_id=version_id,
            problem=None if problem is None else problem[:_PROBLEM],
        )

    def release(self, key: str) -> None:
        """Releases an import; one that was taken over is not changed.

        Where the database is unavailable it is released as soon as that answers.
        """
        HEARTBEAT.stop((self._holder, key))
        try:
            self._note(key, holder=None, held_until=None)
        except LostClaimError:
            return
        except StorageError:
            HEARTBEAT.hold((self._holder, key), partial(self._renew, key), 0.0)
            raise

    def approve(self, key: str, approvals: Iterable[str]) -> None:
        """Stores the findings that a person has approved in an import."""
        with begin_write(self._engine) as connection:
            text = seal(connection, list(approvals))
            connection.execute(update(IMPORTS).where(*self._has_key(key)).values(approved=text))

    def list_approvals(self, key: str) -> tuple[str, ...]:
        """Returns the findings that a person has approved in an import."""
        with begin_read(self._engine) as connection:
            row = self._row(connection, key)
            return (
                () if row is None or not row.approved else tuple(unseal(connection, row.approved))
            )

    def entry(self, key: str) -> Entry | None:
        """Returns the row of a key."""
        with begin_read(self._engine) as connection:
            row = self._row(connection, key)
            return None if row is None else _entry(connection, row)

    def others(self, key: str) -> frozenset[str]:
        """Returns the workflows that other imports have created."""
        statement = select(IMPORTS.c.workflow_id).where(
            IMPORTS.c.instance == self._instance,
            IMPORTS.c.key != stored_key(key),
            IMPORTS.c.workflow_id.is_not(None),
        )
        with begin_read(self._engine) as connection:
            return frozenset(connection.execute(statement).scalars())

    def _note(
        self, key: str, previous_workflow: Mapping[str, Any] | None = None, **values: Any
    ) -> Entry:
        hold = {"held_until": utc_now(LEASE_S)}
        with begin_write(self._engine) as connection:
            if previous_workflow is not None:
                values["previous"] = seal(connection, previous_workflow)
            done = connection.execute(
                update(IMPORTS)
                .where(*self._has_key(key), IMPORTS.c.holder == self._holder)
                .values(**{**hold, "changed_at": utc_now(), **values})
            )
            row = self._row(connection, key)
            if done.rowcount != 1 or row is None:
                raise LostClaimError(f"the import {key} was taken over by another program")
            entry = _entry(connection, row)
        if row.holder is not None:
            self._hold(key)
        return entry

    def _hold(self, key: str) -> None:
        HEARTBEAT.hold((self._holder, key), partial(self._renew, key), _STEP_S)

    def _renew(self, key: str, held_until: str | None) -> bool:
        """Extends the claim to that time; returns whether it was still held here."""
        ours = (*self._has_key(key), IMPORTS.c.holder == self._holder)
        statement = update(IMPORTS).where(*ours).values(held_until=held_until)
        with begin_write(self._engine) as connection:
            return connection.execute(statement).rowcount == 1

    def _row(self, connection: Connection, key: str) -> Row[Any] | None:
        return connection.execute(select(IMPORTS).where(*self._has_key(key))).first()

    def _has_key(self, key: str) -> tuple[Any, ...]:
        return IMPORTS.c.instance == self._instance, IMPORTS.c.key == stored_key(key)


def stored_key(key: str) -> CleanText:
    """Returns the key, or its hash where it contains a secret: keys must not become equal."""
    is_clean = without_secrets(key) == key
    return CleanText(key if is_clean else hashlib.sha256(key.encode()).hexdigest())


def _entry(connection: Connection, row: Row[Any], *, interrupted: bool = False) -> Entry:
    return Entry(
        instance=row.instance,
        key=row.key,
        artifact=row.artifact,
        state=row.state,
        target=row.target,
        workflow_id=row.workflow_id,
        version_id=row.version_id,
        earlier=None if row.earlier is None else tuple(orjson.loads(row.earlier)),
        previous=unseal(connection, row.previous),
        problem=row.problem,
        started_at=row.started_at,
        changed_at=row.changed_at,
        is_interrupted=interrupted,
    )
