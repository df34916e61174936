"""Stores trials and the copies that they made in n8n, and lists those that may still exist."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy import Engine, insert, select, update

from grounded_builder.storage.database import begin_read, begin_write
from grounded_builder.storage.lock_owner import has_ended, process_id
from grounded_builder.storage.schema import TRIALS
from grounded_builder.storage.timestamps import utc_now

# Longer than any trial takes; a program that is silent for so long has abandoned its copy.
HELD_S = 600.0


@dataclass(frozen=True, slots=True)
class LeftTrial:
    """A trial without an end; ``workflow_id`` is None where n8n had not answered yet."""

    id: str
    workflow_id: str | None


class TrialStore:
    """The trials in one n8n."""

    def __init__(self, engine: Engine, instance: str) -> None:
        self._engine = engine
        self._instance = instance

    def begin(self, trial_id: str) -> TrialEntry:
        """Records a trial before anything is sent."""
        values = {
            "id": trial_id,
            "instance": self._instance,
            "holder": f"{process_id()}/{uuid4().hex}",
            "started_at": utc_now(),
        }
        with begin_write(self._engine) as connection:
            connection.execute(insert(TRIALS).values(values))
        return TrialEntry(self._engine, trial_id)

    def list_leftovers(self) -> tuple[LeftTrial, ...]:
        """Returns the trials without an end whose program has ended or was silent for HELD_S
        seconds.
        """
        wanted = select(TRIALS.c.id, TRIALS.c.workflow_id, TRIALS.c.holder, TRIALS.c.started_at)
        statement = wanted.where(TRIALS.c.instance == self._instance, TRIALS.c.ended_at.is_(None))
        with begin_read(self._engine) as connection:
            rows = connection.execute(statement.order_by(TRIALS.c.id)).all()
        late = utc_now(-HELD_S)
        return tuple(
            LeftTrial(row.id, row.workflow_id)
            for row in rows
            if row.started_at < late or not row.holder or has_ended(row.holder)
        )

    def entry(self, trial_id: str) -> TrialEntry:
        """Returns a trial that is recorded already."""
        return TrialEntry(self._engine, trial_id)


@dataclass(frozen=True, slots=True)
class TrialEntry:
    """The row of one trial."""

    engine: Engine
    id: str

    def record_copy(self, workflow_id: str) -> None:
        """Records the copy that n8n has created."""
        self._note(workflow_id=workflow_id)

    def record_end(self) -> None:
        """Records that nothing of the trial is left in n8n."""
        self._note(ended_at=utc_now())

    def let_go(self) -> None:
        """Releases a copy that could not be deleted to the next trial."""
        self._note(holder="")

    def _note(self, **values: str) -> None:
        with begin_write(self.engine) as connection:
            connection.execute(update(TRIALS).where(TRIALS.c.id == self.id).values(**values))
