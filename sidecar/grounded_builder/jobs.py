"""Have models drafted here and built elsewhere: by workers that lease jobs and report back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.account import EXTERNAL, Answer, Order
from grounded_builder.conversing import Conversations, session_of
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.diagnostics.report import as_json
from grounded_builder.domains.simulink.matlab.reported import absent_blocks, findings_of
from grounded_builder.generating import DrafterChoice, generate
from grounded_builder.storage.jobs import ENDED, Job, JobBook, instant
from grounded_builder.storage.store import Store

_DRAFTING_S = 60.0
_MOST_SAID = 20
_SIDECAR = "sidecar"

Conversing = Callable[[str], Conversations]


@dataclass(frozen=True, slots=True)
class JobOrder:
    """What shall be built: a plan, or a request that is drafted.

    ``options`` are handed to the build: ``Simulate`` steps, ``File``, ``Layout``, ``Overwrite``.
    """

    request: str = ""
    plan: Any = None
    constraints: Mapping[str, Any] | None = None
    drafter: DrafterChoice = "auto"
    attempts: int = 3
    options: Mapping[str, Any] | None = None


class JobError(Exception):
    """A report or a lease that cannot be taken; ``help`` says what to do instead."""

    def __init__(self, code: str, message: str, help_text: str) -> None:
        super().__init__(message)
        self.code = code
        self.help = help_text


class Workshop:
    """The jobs of one store; ``conversing`` gives the conversations over an environment's catalog.

    Drafting runs in ``executor``: a job is kept before it begins, and one whose drafter died is
    drafted again by whoever asks for work next.
    """

    def __init__(self, store: Store, conversing: Conversing, executor: Executor) -> None:
        self._store = store
        self._book = JobBook(store.engine)
        self._conversing = conversing
        self._executor = executor

    @property
    def _patience_s(self) -> float:
        """How long a drafter may be silent before another takes its job."""
        return self._store.settings.talk.seconds + _DRAFTING_S

    def submit(self, environment: str, order: JobOrder) -> Job:
        """Keep a job and have it drafted."""
        asked = {
            "request": order.request,
            "plan": order.plan,
            "constraints": dict(order.constraints or {}),
            "drafter": order.drafter,
            "attempts": order.attempts,
            "options": dict(order.options or {}),
        }
        job = self._book.open(environment, asked, _SIDECAR, self._patience_s)
        self._executor.submit(self._draft, job)
        return job

    def get(self, job_id: str) -> Job:
        """A job; JobError when there is none."""
        job = self._book.get(job_id)
        if job is None:
            message = f"there is no job {job_id[:40]!r}"
            raise JobError("unknown-job", message, "submit it again")
        return job

    def lease(self, environment: str, worker: str, seconds: float) -> Job | None:
        """The next job for a worker of this environment; None while there is none."""
        for stale in self._book.stale():
            self._revive(stale)
        return self._book.take(environment, worker[:200], seconds)

    def renew(self, job_id: str, lease: str, seconds: float) -> Job:
        """Keep a lease that still holds for longer."""

        def longer(job: Job) -> Job | None:
            _own(job, lease)
            return replace(job, held_until=instant(seconds))

        return self._changed(job_id, longer)

    def report(self, job_id: str, lease: str, report: Mapping[str, Any]) -> Job:
        """Take a worker's report: built, or drafted again with what failed, or failed.

        The same report posted again changes nothing.
        """
        findings = findings_of(report)
        drafts_again = False

        def reported(job: Job) -> Job | None:
            nonlocal drafts_again
            if any(one.get("lease") == lease and "report" in one for one in job.attempts):
                return None
            _own(job, lease)
            attempt = {
                "worker": job.holder,
                "lease": lease,
                "report": dict(report),
                "diagnostics": [as_json(one) for one in findings],
                "script": (job.answer.get("artifact") or {}).get("script"),
                "at": instant(),
            }
            job = replace(job, attempts=(*job.attempts, attempt))
            if not findings:
                return job.freed("built")
            if len(job.attempts) >= int(job.order["attempts"]):
                return job.freed("failed", findings[0].message)
            drafts_again = True
            return replace(job.held(_SIDECAR, self._patience_s), state="drafting")

        after = self._changed(job_id, reported)
        if drafts_again:
            self._executor.submit(self._draft, after)
        return after

    def cancel(self, job_id: str) -> Job:
        """End a job that has not ended; a worker's later report of it is refused."""
        return self._changed(
            job_id, lambda job: None if job.state in ENDED else job.freed("cancelled")
        )

    def _changed(self, job_id: str, change: Callable[[Job], Job | None]) -> Job:
        job = self._book.change(job_id, change)
        return self.get(job_id) if job is None else job

    def _revive(self, stale: Job) -> None:
        def taken(job: Job) -> Job | None:
            if job.state != "drafting" or job.is_held:
                return None
            return job.held(_SIDECAR, self._patience_s)

        job = self._book.change(stale.id, taken)
        if job is not None and job.lease != stale.lease:
            self._executor.submit(self._draft, job)

    def _draft(self, job: Job) -> None:
        """Draft a job that this process holds; what goes wrong is the job's problem."""
        try:
            answer = self._drafted(job)
            problem = None if answer.get("artifact") else str(answer["summary"])
        except Exception as error:  # noqa: BLE001 - nobody waits here for an exception
            answer, problem = {}, f"drafting failed: {type(error).__name__}: {error}"[:500]

        def settled(now: Job) -> Job | None:
            if now.state != "drafting" or now.lease != job.lease:
                return None
            after = replace(now, answer=_kept(answer))
            return after.freed("failed", problem) if problem else after.freed("ready")

        self._book.change(job.id, settled)

    def _drafted(self, job: Job) -> Answer:
        conversations = self._conversing(job.environment)
        constraints = _narrowed(job)
        request = job.order["request"] or str(_goal(job.order["plan"]))
        if job.order["plan"] is None:
            choice = job.order["drafter"]
            return generate(request, constraints, None, choice, conversations, self._store)
        asked = conversations.open(Order(request, constraints, 1, EXTERNAL))
        session, _ = session_of(self._store, asked["session"])
        return conversations.take(session, reply=json.dumps(job.order["plan"]))


def shown(job: Job) -> dict[str, Any]:
    """A job as clients see it: the same fields in every state."""
    artifact = job.answer.get("artifact") or {}
    last = job.attempts[-1] if job.attempts else {}
    return {
        "id": job.id,
        "state": job.state,
        "environment": job.environment,
        "lease": job.lease or "",
        "attempt": len(job.attempts) + 1,
        "summary": str(job.answer.get("summary") or ""),
        "problem": job.problem or "",
        "run": str(job.answer.get("session") or ""),
        "script": str(artifact.get("script") or ""),
        "file": str(artifact.get("file") or ""),
        "options": json.dumps(job.order["options"]),
        "diagnostics": list(last.get("diagnostics") or job.answer.get("diagnostics") or ()),
        "report": last.get("report") or {},
        "attempts": [
            {"worker": str(one.get("worker") or ""), "silent": bool(one.get("silent"))}
            for one in job.attempts
        ],
    }


def _kept(answer: Answer) -> dict[str, Any]:
    wanted = ("session", "artifact", "receipt", "summary", "diagnostics", "outcome", "reason")
    return {key: answer.get(key) for key in wanted}


def _narrowed(job: Job) -> dict[str, Any]:
    """The constraints of the next draft: without what the installation turned out not to have."""
    constraints = dict(job.order["constraints"])
    reports = [one["report"] for one in job.attempts if "report" in one]
    absent = [path for report in reports for path in absent_blocks(report)]
    said = [text for report in reports for text in _messages(findings_of(report))]
    forbidden = constraints.get("forbid") or []
    if absent:
        constraints["forbid"] = list(dict.fromkeys([*forbidden, *absent]))
    if said:
        constraints["matlab_said"] = list(dict.fromkeys(said))[:_MOST_SAID]
    return constraints


def _messages(findings: tuple[Diagnostic, ...]) -> list[str]:
    return [one.message for one in findings]


def _goal(plan: Any) -> Any:
    return (plan.get("goal") if isinstance(plan, dict) else None) or "build this plan"


def _own(job: Job, lease: str) -> None:
    """JobError when a lease is not the one under which the job is out now."""
    if job.state == "leased" and job.lease == lease:
        return
    message = f"the lease of job {job.id} ran out or was never given; the job is {job.state}"
    raise JobError("lease-lost", message, "lease the next job; this one was given to another")
