"""Stores jobs that workers lease, build and report: states, leases, attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Engine, Row, delete, func, insert, select, update
from ulid import ULID

from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.encryption import seal, unseal
from grounded_builder.storage.heartbeat import is_held
from grounded_builder.storage.schema import JOBS
from grounded_builder.storage.stored_text import storable
from grounded_builder.storage.timestamps import as_text, now, utc_now

JobState = Literal["drafting", "ready", "leased", "built", "failed", "cancelled"]
ENDED: frozenset[str] = frozenset({"built", "failed", "cancelled"})
MOST_OPEN = 200
"""How many jobs of one environment may be open."""
_ULID_LENGTH = 26
_PRUNED = 100
_NAME = 200
_PROBLEM = 2_000


class JobsFullError(Exception):
    """An environment has the maximum number of open jobs."""


@dataclass(frozen=True, slots=True)
class Job:
    """One job; ``environment`` is the fingerprint of the catalog it is compiled for.

    ``order`` is the request, ``answer`` the result of drafting (artifact, receipt, run),
    ``attempts`` the reports of workers. ``holder`` is the drafter or worker that holds it until
    ``held_until``; ``lease`` is the token with which the holder reports.
    """

    id: str
    environment: str
    order: Mapping[str, Any]
    state: JobState
    attempts: tuple[Mapping[str, Any], ...] = ()
    answer: Mapping[str, Any] = field(default_factory=dict)
    lease: str | None = None
    holder: str | None = None
    held_until: str | None = None
    problem: str | None = None
    created_at: str = ""
    changed_at: str = ""

    @property
    def is_held(self) -> bool:
        """Whether a holder's lease has not expired and its process has not ended."""
        if self.state == "drafting":
            return is_held(self.holder, self.held_until)
        return self.held_until is not None and self.held_until > utc_now()

    @property
    def waits(self) -> bool:
        """Whether it waits for a worker, or its worker fell silent."""
        return self.state in ("drafting", "ready") or (self.state == "leased" and not self.is_held)

    @property
    def taken_at(self) -> str:
        """The time at which the holder took it, from the lease."""
        if self.lease is None:
            return ""
        return as_text(ULID.from_str(self.lease).datetime)

    def hold(self, holder: str, seconds: float) -> Job:
        """Returns the job with another holder, for so many seconds."""
        return replace(self, lease=_new_id(), holder=holder, held_until=utc_now(seconds))

    def free(self, state: JobState, problem: str | None = None) -> Job:
        """Returns the job without a holder."""
        return replace(self, state=state, lease=None, holder=None, held_until=None, problem=problem)


class JobStore:
    """The jobs of one database, with the newest ``number`` of the ended ones; a method is one
    transaction.

    Times are from the clock of the sidecar or of a shared database; the clock of a worker is never
    used.
    """

    def __init__(self, engine: Engine, number: int = 10_000) -> None:
        self._engine = engine
        self._max_ended = number

    def open(
        self,
        environment: str,
        order: Mapping[str, Any],
        holder: str,
        seconds: float,
        key: str | None = None,
    ) -> tuple[Job, bool]:
        """Returns a new job held by its drafter, or the job of the same ``key``, and whether it is
        new.

        Raises JobsFullError where too many jobs of this environment are open.
        """
        with begin_write(self._engine) as connection:
            job = Job(_new_id(), environment, order, "drafting", created_at=utc_now())
            job = job.hold(holder, seconds)
            known = None if key is None else _read_where(connection, JOBS.c.key == key)
            if known is not None:
                return known, False
            waiting = select(func.count()).where(
                JOBS.c.environment == environment, JOBS.c.state.not_in(ENDED)
            )
            if connection.execute(waiting).scalar_one() >= MOST_OPEN:
                raise JobsFullError(environment)
            self._prune(connection)
            columns = _columns(connection, job)
            connection.execute(insert(JOBS).values(id=job.id, key=key, **columns))
        return job, True

    def get(self, job_id: str) -> Job | None:
        """Returns a job; None when there is none."""
        if len(job_id) != _ULID_LENGTH:
            return None
        with begin_read(self._engine) as connection:
            return _read(connection, job_id)

    def change(self, job_id: str, changed: Callable[[Job], Job | None]) -> Job | None:
        """Returns the job after a change, or unchanged where that gives None; None
        without a job.
        """
        with begin_write(self._engine) as connection:
            job = _read(connection, job_id)
            after = None if job is None else changed(job)
            if after is None:
                return job
            self._put(connection, after)
            return after

    def take(self, environment: str, worker: str, seconds: float, only: str = "") -> Job | None:
        """Leases the oldest waiting job of this environment, or ``only`` that one.

        A job whose worker fell silent waits again; after all its attempts it has failed.
        """
        with begin_write(self._engine) as connection:
            expired = (JOBS.c.state == "leased") & (JOBS.c.held_until < utc_now())
            waiting = (
                select(JOBS.c.id)
                .where(JOBS.c.environment == environment, (JOBS.c.state == "ready") | expired)
                .order_by(JOBS.c.id)
            )
            if only:
                waiting = waiting.where(JOBS.c.id == only)
            for job_id in connection.execute(waiting).scalars().all():
                job = _read(connection, job_id)
                if job is None:
                    continue
                if job.state == "leased":
                    job = replace(job, attempts=(*job.attempts, _silent(job)))
                if len(job.attempts) >= int(job.order["attempts"]):
                    job = job.free("failed", "no worker reported a result")
                    self._put(connection, job)
                    continue
                job = replace(job.hold(worker, seconds), state="leased")
                self._put(connection, job)
                return job
        return None

    def stale(self) -> tuple[str, ...]:
        """Returns the ids of jobs whose drafter fell silent or ended."""
        drafting = select(JOBS.c.id, JOBS.c.holder, JOBS.c.held_until)
        with begin_read(self._engine) as connection:
            rows = connection.execute(drafting.where(JOBS.c.state == "drafting")).all()
        return tuple(row.id for row in rows if not is_held(row.holder, row.held_until))

    def renew_draft(self, job_id: str, lease: str, held_until: str | None) -> bool:
        """Extends the lease of a drafter to that time; returns whether it was still held by it."""
        statement = (
            update(JOBS)
            .where(JOBS.c.id == job_id, JOBS.c.lease == lease, JOBS.c.state == "drafting")
            .values(held_until=held_until)
        )
        with begin_write(self._engine) as connection:
            return connection.execute(statement).rowcount == 1

    def list_jobs(self, limit: int, before: str = "", state: str = "") -> tuple[Job, ...]:
        """Returns the newest jobs, or those before one, without their drafts."""
        columns = [column for column in JOBS.c if column is not JOBS.c.answer]
        wanted = select(*columns).order_by(JOBS.c.id.desc()).limit(limit)
        if before:
            wanted = wanted.where(JOBS.c.id < before)
        if state:
            wanted = wanted.where(JOBS.c.state == state)
        with begin_read(self._engine) as connection:
            return tuple(_job(connection, row, {}) for row in connection.execute(wanted).all())

    def _prune(self, connection: Connection) -> None:
        """Drops the oldest ended jobs beyond the limit."""
        ended = select(JOBS.c.id).where(JOBS.c.state.in_(ENDED)).order_by(JOBS.c.id.desc())
        surplus = connection.execute(ended.offset(self._max_ended).limit(_PRUNED)).scalars().all()
        if surplus:
            connection.execute(delete(JOBS).where(JOBS.c.id.in_(surplus)))

    def _put(self, connection: Connection, job: Job) -> None:
        columns = _columns(connection, job)
        connection.execute(update(JOBS).where(JOBS.c.id == job.id).values(columns))


def _new_id() -> str:
    """Returns an id that sorts by the shared clock, on whichever machine it is created."""
    return str(ULID.from_datetime(now()))


def _silent(job: Job) -> dict[str, Any]:
    return {
        "worker": job.holder,
        "lease": job.lease,
        "silent": True,
        "started": job.taken_at,
        "at": utc_now(),
        "run": job.answer.get("session"),
    }


def _read(connection: Connection, job_id: str) -> Job | None:
    return _read_where(connection, JOBS.c.id == job_id)


def _read_where(connection: Connection, condition: ColumnElement[bool]) -> Job | None:
    row = connection.execute(select(JOBS).where(condition)).first()
    return None if row is None else _job(connection, row, unseal(connection, row.answer))


def _job(connection: Connection, row: Row[Any], answer: Mapping[str, Any]) -> Job:
    return Job(
        id=row.id,
        environment=row.environment,
        order=unseal(connection, row.order),
        state=row.state,
        attempts=tuple(unseal(connection, row.attempts)),
        answer=answer,
        lease=row.lease,
        holder=row.holder,
        held_until=row.held_until,
        problem=row.problem,
        created_at=row.created_at,
        changed_at=row.changed_at,
    )


def _columns(connection: Connection, job: Job) -> dict[str, Any]:
    """Returns the columns of a job; values that must be preserved exactly are sealed."""
    return {
        "environment": job.environment,
        "order": seal(connection, job.order),
        "state": job.state,
        "attempts": seal(connection, list(job.attempts)),
        "answer": seal(connection, job.answer),
        "lease": job.lease,
        "holder": None if job.holder is None else storable(job.holder, _NAME),
        "held_until": job.held_until,
        "problem": None if job.problem is None else storable(job.problem, _PROBLEM),
        "created_at": job.created_at,
        "changed_at": utc_now(),
    }
