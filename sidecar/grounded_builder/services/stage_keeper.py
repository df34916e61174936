"""Keeps one stage of rehearsals warm for a process, and ends it when nobody uses it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage, StageError
from grounded_builder.settings import Settings

_IDLE_S = 600.0
_MOST_WAITING = 8
# n8n keeps memory of each run: 0.6 GB at first, 0.9 GB after 80 rehearsals of small workflows.
_MOST_USES = 60
_UNSET = (
    "no n8n to rehearse in: GROUNDED_REHEARSAL_N8N, GROUNDED_REHEARSAL_NODE and"
    " GROUNDED_REHEARSAL_PROXY are not all set"
)


class StageKeeper:
    """One stage for all rehearsals of a process: started on first use, ended after ``idle_s``.

    One rehearsal uses it at a time, and a few wait. After ``most_uses`` the next use starts another
    stage.
    """

    def __init__(
        self, settings: Settings, idle_s: float = _IDLE_S, most_uses: int = _MOST_USES
    ) -> None:
        self._settings = settings
        self._idle_s = idle_s
        self._most_uses = most_uses
        self._use_count = 0
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(1 + _MOST_WAITING)
        self._stage: Stage | None = None
        self._timer: threading.Timer | None = None
        self._used_at = 0.0
        self._is_closed = False

    @contextmanager
    def use(self) -> Iterator[Stage]:
        """Yields the stage, started if it does not run; raises StageError where it cannot.

        A stage that does not answer during the use is ended, and StageError raised.
        """
        if not self._places.acquire(blocking=False):
            raise StageError(f"{_MOST_WAITING} rehearsals are waiting for another; try again later")
        try:
            with self._lock:
                stage = self._ensure_stage()
                try:
                    yield stage
                except EditorError as error:
                    if error.is_silence:
                        self._end_stage()
                        message = "the n8n of rehearsals ended, or stopped answering"
                        raise StageError(f"{message}: {error}") from error
                    raise
                finally:
                    self._await_idleness()
        finally:
            self._places.release()

    def close(self) -> None:
        """Ends the stage at once, and with it the rehearsal that uses it; none begins after."""
        self._is_closed = True
        stage = self._stage
        if stage is not None:
            stage.leave()
        with self._lock:
            self._end_stage()

    def _ensure_stage(self) -> Stage:
        if self._timer is not None:
            self._timer.cancel()
        is_worn = self._use_count >= self._most_uses
        if self._stage is not None and (is_worn or not self._stage.is_running):
            self._end_stage()
        if self._is_closed:
            raise StageError("the program is ending")
        if self._stage is None:
            rehearsal = self._settings.rehearsal
            if rehearsal is None:
                raise StageError(_UNSET)
            installation = Installation(
                rehearsal.node, rehearsal.n8n, rehearsal.proxy, rehearsal.packages
            )
            # Assigned before it runs, so that `close` can end a start.
            self._stage = Stage(installation, self._settings.state / "rehearsal")
            try:
                self._stage.start()
            except BaseException:
                self._end_stage()
                raise
        self._use_count += 1
        return self._stage

    def _await_idleness(self) -> None:
        self._used_at = time.monotonic()
        self._timer = threading.Timer(self._idle_s, self._end_idle_stage)
        self._timer.daemon = True
        self._timer.start()

    def _end_idle_stage(self) -> None:
        with self._lock:
            # A use that began while this thread waited has started a timer of its own.
            if time.monotonic() - self._used_at >= self._idle_s:
                self._end_stage()

    def _end_stage(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._use_count = 0
        if self._stage is not None:
            self._stage.close()
            self._stage = None
