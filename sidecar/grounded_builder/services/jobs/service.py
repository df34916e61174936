"""Submits, drafts, leases, lists and cancels jobs, and takes the reports of their workers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from grounded_builder.diagnostics.finding_json import as_json
from grounded_builder.domains.simulink.matlab.build_report import (
    absent_blocks,
    findings_of,
    lost_products,
)
from grounded_builder.domains.simulink.resolve.target import FORBIDDEN_PRODUCTS
from grounded_builder.redaction.redact import without_secrets
from grounded_builder.services.conversation_record import EXTERNAL, Answer, DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.generate import DrafterChoice, generate
from grounded_builder.services.jobs.open_result import OpenResult, with_opening
from grounded_builder.services.jobs.view import artifact_of, request_of
from grounded_builder.services.session_lookup import get_session
from grounded_builder.storage import NoSuchCatalogError
from grounded_builder.storage.errors import run_with_retries
from grounded_builder.storage.heartbeat import HEARTBEAT, LEASE_S, Renew
from grounded_builder.storage.jobs import ENDED, MOST_OPEN, Job, JobsFullError, JobStore
from grounded_builder.storage.lock_owner import process_id
from grounded_builder.storage.store import Store
from grounded_builder.storage.timestamps import utc_now

# Seconds beyond the time of its conversation after which a drafter counts as stuck.
_DRAFTING_S = 60.0
_LONGEST_QUEUE_S = 86_400.0

Conversing = Callable[[str], Conversations]
_MAX_MESSAGES = 20


@dataclass(frozen=True, slots=True)
class JobRequest:
    """An order for a model: a plan, or a request that is drafted.

    ``options`` are passed to the build: ``Simulate`` steps, ``File``, ``Layout``, ``Overwrite``.
    Equal orders under the same ``key`` are one job.
    """

    request: str = ""
    plan: Any = None
    constraints: Mapping[str, Any] | None = None
    drafter: DrafterChoice = "auto"
    attempts: int = 3
    options: Mapping[str, Any] | None = None
    key: str = ""


class JobError(Exception):
    """A report or a lease that is refused; ``help`` gives the alternative."""

    def __init__(self, code: str, message: str, help_text: str) -> None:
        super().__init__(message)
        self.code = code
        self.help = help_text


class JobService:
    """The jobs of one store; ``conversing`` returns the conversations over an environment's
    catalog.

    Drafting runs in ``executor``. A job is stored before drafting begins; a job whose drafter died
    is drafted again when the next worker asks for work. A drafter holds its job by a lease that is
    renewed every few seconds, from the moment the job is queued.
    """

    def __init__(self, store: Store, conversing: Conversing, executor: Executor) -> None:
        self._store = store
        self._book = JobStore(store.engine, store.settings.max_stored_runs)
        self._conversing = conversing
        self._executor = executor
        self._holder = f"{process_id()}/{uuid4().hex}"

    def submit(self, environment: str, order: JobRequest) -> Job:
        """Stores a job and starts its drafting; raises JobError where too many are open."""
        asked = {
            "request": without_secrets(order.request),
            "plan": order.plan,
            "constraints": without_secrets(dict(order.constraints or {})),
            "drafter": order.drafter,
            "attempts": order.attempts,
            "options": dict(order.options or {}),
        }
        key = _key_of(order.key, environment, asked) if order.key else None
        try:
            facts = (self._holder, LEASE_S, key)
            job, is_new = self._book.open(environment, asked, *facts)
        except JobsFullError as error:
            message = f"{MOST_OPEN} jobs of this environment have not ended"
            raise JobError(
                "too-many-jobs", message, "cancel some jobs, or run grounded.work to build them"
            ) from error
        if is_new:
            self._queue(job)
        return job

    def get(self, job_id: str) -> Job:
        """Returns a job; raises JobError when there is none.

        A job whose drafter died is drafted again; a job whose environment was removed fails.
        """
        job = self._read(job_id)
        if job.waits and not self._is_kept(job.environment):
            return self._change(job_id, _fail_without_environment)
        if job.state == "drafting" and not job.is_held:
            self._revive(job_id)
        return job

    def list_jobs(self, limit: int, before: str = "", state: str = "") -> tuple[Job, ...]:
        """Returns the newest jobs, without their drafts."""
        return self._book.list_jobs(limit, before, state)

    def lease(self, environment: str, worker: str, seconds: float, job_id: str = "") -> Job | None:
        """Leases the next job of this environment, or the job of this id, to a worker; None without
        one.
        """
        for stale in self._book.stale():
            self._revive(stale)
        return self._book.take(environment, worker, seconds, job_id)

    def renew(self, job_id: str, lease: str, seconds: float) -> Job:
        """Extends a lease that still holds."""

        def longer(job: Job) -> Job | None:
            _expect_lease(job, lease)
            return replace(job, held_until=utc_now(seconds))

        return self._change(job_id, longer)

    def give_back(self, job_id: str, lease: str) -> Job:
        """Returns a job that its worker does not build; this does not count as an attempt."""

        def free(job: Job) -> Job | None:
            _expect_lease(job, lease)
            return job.free("ready")

        return self._change(job_id, free)

    def record_opening(self, job_id: str, run: str, opening: OpenResult) -> Job:
        """Records whether a client could open the model file drafted by ``run``."""

        def after(job: Job) -> Job | None:
            if artifact_of(job) is None or job.answer.get("session") != run:
                message = f"the file that was opened is not that of job {job.id} as it is now"
                raise JobError("other-draft", message, "open the file of the job again")
            return with_opening(job, opening)

        return self._change(job_id, after)

    def report(self, job_id: str, lease: str, report: Mapping[str, Any]) -> Job:
        """Takes a worker's report: the job is built, drafted again with the failures, or failed.

        The same report sent again changes nothing.
        """
        findings = findings_of(report)
        drafts_again = False

        def apply_report(job: Job) -> Job | None:
            nonlocal drafts_again
            if any(
                attempt.get("lease") == lease and "report" in attempt for attempt in job.attempts
            ):
                return None
            _expect_lease(job, lease)
            attempt = {
                "worker": job.holder,
                "lease": lease,
                "report": dict(report),
                "diagnostics": [as_json(finding) for finding in findings],
                "run": job.answer.get("session"),
                "started": job.taken_at,
                "at": utc_now(),
            }
            job = replace(job, attempts=(*job.attempts, attempt))
            if not findings:
                return job.free("built")
            if len(job.attempts) >= int(job.order["attempts"]):
                return job.free("failed", findings[0].message)
            drafts_again = True
            return replace(job.hold(self._holder, LEASE_S), state="drafting")

        after = self._change(job_id, apply_report)
        if drafts_again:
            self._queue(after)
        return after

    def cancel(self, job_id: str) -> Job:
        """Ends an open job; a later report of its worker is refused."""
        return self._change(
            job_id, lambda job: None if job.state in ENDED else job.free("cancelled")
        )

    def _read(self, job_id: str) -> Job:
        job = self._book.get(job_id)
        if job is None:
            message = f"there is no job {job_id[:40]!r}"
            raise JobError("unknown-job", message, "submit it again")
        return job

    def _change(self, job_id: str, change: Callable[[Job], Job | None]) -> Job:
        job = self._book.change(job_id, change)
        return self._read(job_id) if job is None else job

    def _is_kept(self, environment: str) -> bool:
        try:
            self._store.catalog(environment)
        except NoSuchCatalogError:
            return False
        return True

    def _revive(self, job_id: str) -> None:
        before = None

        def hold_draft(job: Job) -> Job | None:
            nonlocal before
            before = job.lease
            if job.state != "drafting" or job.is_held:
                return None
            return job.hold(self._holder, LEASE_S)

        job = self._book.change(job_id, hold_draft)
        if job is not None and job.lease != before:
            self._queue(job)

    def _queue(self, job: Job) -> None:
        """Starts the drafting of a job that this process holds; the job stays held
        while it waits.
        """
        HEARTBEAT.hold(job.lease, self._renewal(job), _LONGEST_QUEUE_S)
        self._executor.submit(self._draft, job)

    def _renewal(self, job: Job) -> Renew:
        return lambda held_until: self._book.renew_draft(job.id, job.lease or "", held_until)

    def _draft(self, job: Job) -> None:
        """Drafts a job that this process holds; a failure is stored as the job's problem."""
        try:
            renew = self._renewal(job)
            if run_with_retries(lambda: renew(utc_now(LEASE_S))):
                HEARTBEAT.hold(
                    job.lease, renew, self._store.settings.conversation_limits.seconds + _DRAFTING_S
                )
                self._draft_held(job)
        finally:
            HEARTBEAT.stop(job.lease)

    def _draft_held(self, job: Job) -> None:
        try:
            answer = run_with_retries(lambda: self._draft_artifact(job))
            problem = None if answer.get("artifact") else _failure_reason(job, answer)
        except Exception as error:  # noqa: BLE001 - no caller waits for an exception
            answer, problem = {}, f"drafting failed: {type(error).__name__}: {error}"[:500]

        def settle(now: Job) -> Job | None:
            if now.state != "drafting" or now.lease != job.lease:
                return None
            after = replace(now, answer=_stored_answer(answer))
            return after.free("failed", problem) if problem else after.free("ready")

        run_with_retries(lambda: self._book.change(job.id, settle))

    def _draft_artifact(self, job: Job) -> Answer:
        conversations = self._conversing(job.environment)
        constraints = _constraints_after_failures(job)
        request = request_of(job)
        if job.order["plan"] is None:
            choice = job.order["drafter"]
            return generate(request, constraints, None, choice, conversations, self._store)
        asked = conversations.open(DraftRequest(request, constraints, 1, EXTERNAL))
        if asked["status"] != "draft":
            return asked
        session, _ = get_session(self._store, asked["session"])
        return conversations.submit_reply(session, reply=json.dumps(job.order["plan"]))


def _failure_reason(job: Job, answer: Answer) -> str:
    """Returns why nothing was built: the first diagnostic of a submitted plan, or the summary."""
    diagnostics = [
        diagnostic
        for diagnostic in answer.get("diagnostics") or ()
        if diagnostic["class"] == "wrong"
    ]
    if job.order["plan"] is None or not diagnostics:
        return str(answer["summary"])
    more = f" (and {len(diagnostics) - 1} more)" if len(diagnostics) > 1 else ""
    return f"the plan does not compile: {diagnostics[0]['message']}{more}"[:500]


def _stored_answer(answer: Answer) -> dict[str, Any]:
    made = ("session", "artifact", "receipt", "summary", "rounds")
    reasons = ("diagnostics", "outcome", "reason")
    return {key: answer.get(key) for key in (*made, *reasons)}


def _key_of(key: str, environment: str, asked: Mapping[str, Any]) -> str:
    """Returns the key that identifies an order: the client's name for it and its content."""
    text = json.dumps([key, environment, asked], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _fail_without_environment(job: Job) -> Job | None:
    if not job.waits:
        return None
    problem = f"the environment {job.environment[:12]} is no longer kept: run grounded.sync again"
    return job.free("failed", problem)


def _expect_lease(job: Job, lease: str) -> None:
    """Raises JobError when a lease is not the job's current lease."""
    if job.state == "leased" and job.lease == lease:
        return
    message = f"the lease of job {job.id} ran out or was never given; the job is {job.state}"
    raise JobError("lease-lost", message, "lease the next job; this one was given to another")


def _constraints_after_failures(job: Job) -> dict[str, Any]:
    """Returns the constraints of the next draft, which forbid tools missing in the installation."""
    constraints = dict(job.order["constraints"])
    reports = [attempt["report"] for attempt in job.attempts if "report" in attempt]
    absent = [path for report in reports for path in absent_blocks(report)]
    messages = [finding.message for report in reports for finding in findings_of(report)]
    forbidden = constraints.get("forbid") or []
    if absent:
        constraints["forbid"] = list(dict.fromkeys([*forbidden, *absent]))
    if lost := [lost_product for report in reports for lost_product in lost_products(report)]:
        before = constraints.get(FORBIDDEN_PRODUCTS.name) or []
        constraints[FORBIDDEN_PRODUCTS.name] = list(dict.fromkeys([*before, *lost]))
    if messages:
        constraints["matlab_said"] = list(dict.fromkeys(messages))[:_MAX_MESSAGES]
    return constraints
