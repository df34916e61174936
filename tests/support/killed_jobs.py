"""Serves sidecars that kill themselves at a chosen point in the life of a job.

``python -m tests.support.killed_jobs`` reads settings from the environment. Each line of its input,
``{"point": NAME, "port": N}``, forks a sidecar; when it ends, its signal is printed as a line.
POINTS lists the points in the order in which the first job of a sidecar reaches them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.domains.known import read_settings
from grounded_builder.interfaces.http.server import serve
from grounded_builder.services.jobs.service import JobService
from grounded_builder.storage.jobs import Job, JobStore
from grounded_builder.storage.sessions import SessionStore

Met = Callable[[Any], bool]


def _any(result: Any) -> bool:
    del result
    return True


def _is(state: str, attempts: int) -> Met:
    def is_met(result: Any) -> bool:
        return isinstance(result, Job) and (result.state, len(result.attempts)) == (state, attempts)

    return is_met


@dataclass(frozen=True, slots=True)
class Point:
    """The ``nth`` time before a method is called, or after its result satisfies ``met``."""

    owner: type[Any]
    method: str
    met: Met | None = _any
    nth: int = 1


POINTS = {
    "asked, not kept": Point(JobStore, "open", None),
    "kept, not answered": Point(JobStore, "open"),
    "being drafted": Point(JobService, "_draft", None),
    "drafted, not ready": Point(SessionStore, "move"),
    "ready": Point(JobStore, "change", _is("ready", 0)),
    "leased, not answered": Point(JobStore, "take", _is("leased", 0)),
    "failure reported, not stored": Point(JobService, "report", None),
    "failure stored, not drafted again": Point(JobStore, "change", _is("drafting", 1)),
    "drafted again, not ready": Point(SessionStore, "move", nth=2),
    "ready again": Point(JobStore, "change", _is("ready", 1)),
    "leased again, not answered": Point(JobStore, "take", _is("leased", 1)),
    "success reported, not stored": Point(JobService, "report", None, nth=2),
    "success stored, not answered": Point(JobStore, "change", _is("built", 2)),
}


def main() -> None:
    """Forks a sidecar for each line."""
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child == 0:
            _serve(POINTS[asked["point"]], asked["port"])
        _, status = os.waitpid(child, 0)
        print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, flush=True)


def _serve(point: Point, port: int) -> None:
    """Serves until the point, which kills the supervisor and the worker."""
    method, left, sidecar = getattr(point.owner, point.method), [point.nth], os.getpid()

    def die() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(sidecar, signal.SIGKILL)
            os.kill(os.getpid(), signal.SIGKILL)

    def call_or_die(self: Any, *arguments: Any, **named: Any) -> Any:
        if point.met is None:
            die()
        result = method(self, *arguments, **named)
        if point.met is not None and point.met(result):
            die()
        return result

    setattr(point.owner, point.method, call_or_die)
    serve(replace(read_settings(), port=port))
    os._exit(0)


if __name__ == "__main__":
    main()
