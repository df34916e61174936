"""Jobs that a worker takes, builds and reports back: states, leases, attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Engine, Row, insert, select, update
from ulid import ULID

from grounded_builder.storage.database import reading, writing
from grounded_builder.storage.jsontext import dumped, loaded
from grounded_builder.storage.schema import JOBS

JobState = Literal["drafting", "ready", "leased", "built", "failed", "cancelled"]
ENDED: frozenset[str] = frozenset({"built", "failed", "cancelled"})
_ULID_LENGTH = 26


@dataclass(frozen=True, slots=True)
class Job:
    """One job; ``environment`` is the fingerprint of the catalog it is compiled for.

    ``order`` is what was asked, ``answer`` what drafting came to (artifact, receipt, run),
    ``attempts`` what workers reported, one each. ``holder`` has it, a drafter or a worker, until
    ``held_until``; ``lease`` is what the holder shows to report.
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
        """Whether somebody has it whose time has not run out."""
        return self.held_until is not None and self.held_until > instant()

    def held(self, holder: str, seconds: float) -> Job:
        """The job in other hands, for so long."""
        return replace(self, lease=str(ULID()), holder=holder, held_until=instant(seconds))

    def freed(self, state: JobState, problem: str | None = None) -> Job:
        """The job in nobody's hands."""
        return replace(self, state=state, lease=None, holder=None, held_until=None, problem=problem)


class JobBook:
    """The jobs of one database; every method is one transaction.

    Times are the sidecar's own: the clock of a worker is never read.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def open(self, environment: str, order: Mapping[str, Any], holder: str, seconds: float) -> Job:
        """Keep a new job, in the hands of who drafts it."""
        job = Job(str(ULID()), environment, order, "drafting", created_at=instant())
        job = job.held(holder, seconds)
        with writing(self._engine) as connection:
            connection.execute(insert(JOBS).values(id=job.id, **_columns(job)))
        return job

    def get(self, job_id: str) -> Job | None:
        """A job; None when there is none."""
        if len(job_id) != _ULID_LENGTH:
            return None
        with reading(self._engine) as connection:
            return _read(connection, job_id)

    def change(self, job_id: str, changed: Callable[[Job], Job | None]) -> Job | None:
        """The job after a change, or as it was where that gives None; None when there is none."""
        with writing(self._engine) as connection:
            job = _read(connection, job_id)
            after = None if job is None else changed(job)
            if after is None:
                return job
            connection.execute(update(JOBS).where(JOBS.c.id == job_id).values(_columns(after)))
            return after

    def take(self, environment: str, worker: str, seconds: float) -> Job | None:
        """Lease the oldest job that waits for a worker of this environment.

        A job whose worker fell silent waits again; after all its attempts it has failed.
        """
        now = instant()
        waiting = (
            select(JOBS)
            .where(JOBS.c.environment == environment)
            .where(
                (JOBS.c.state == "ready") | ((JOBS.c.state == "leased") & (JOBS.c.held_until < now))
            )
            .order_by(JOBS.c.id)
        )
        with writing(self._engine) as connection:
            for row in connection.execute(waiting).all():
                job = _job(row)
                if job.state == "leased":
                    job = replace(job, attempts=(*job.attempts, _silent(job)))
                if len(job.attempts) >= int(job.order["attempts"]):
                    job = job.freed("failed", "no worker reported what became of it")
                    self._put(connection, job)
                    continue
                job = replace(job.held(worker, seconds), state="leased")
                self._put(connection, job)
                return job
        return None

    def stale(self) -> tuple[Job, ...]:
        """Jobs whose drafter fell silent."""
        statement = select(JOBS).where(JOBS.c.state == "drafting", JOBS.c.held_until < instant())
        with reading(self._engine) as connection:
            return tuple(_job(row) for row in connection.execute(statement).all())

    def _put(self, connection: Connection, job: Job) -> None:
        connection.execute(update(JOBS).where(JOBS.c.id == job.id).values(_columns(job)))


def instant(seconds: float = 0.0) -> str:
    """A time from now as it is kept: it sorts as text."""
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _silent(job: Job) -> dict[str, Any]:
    return {"worker": job.holder, "lease": job.lease, "silent": True, "at": instant()}


def _read(connection: Connection, job_id: str) -> Job | None:
    row = connection.execute(select(JOBS).where(JOBS.c.id == job_id)).first()
    return None if row is None else _job(row)


def _job(row: Row[Any]) -> Job:
    return Job(
        id=row.id,
        environment=row.environment,
        order=loaded(row.order),
        state=row.state,
        attempts=tuple(loaded(row.attempts)),
        answer=loaded(row.answer),
        lease=row.lease,
        holder=row.holder,
        held_until=row.held_until,
        problem=row.problem,
        created_at=row.created_at,
        changed_at=row.changed_at,
    )


def _columns(job: Job) -> dict[str, Any]:
    return {
        "environment": job.environment,
        "order": dumped(job.order),
        "state": job.state,
        "attempts": dumped(list(job.attempts)),
        "answer": dumped(job.answer),
        "lease": job.lease,
        "holder": job.holder,
        "held_until": job.held_until,
        "problem": job.problem,
        "created_at": job.created_at,
        "changed_at": instant(),
    }
