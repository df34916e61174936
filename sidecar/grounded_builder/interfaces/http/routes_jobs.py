"""Serves the job routes: submit, list, show, cancel; lease, report and open for workers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.catalog.registry import Registry
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.octave_client import always_200, read_shaped
from grounded_builder.interfaces.http.openapi_params import body_of, constraints_under, refusals
from grounded_builder.interfaces.http.routes_sessions import conversations_over
from grounded_builder.interfaces.http.schemas.jobs import (
    LONGEST_WAIT_S,
    JobAnswer,
    JobBody,
    JobList,
    LeaseBody,
    OpenedBody,
    ReportBody,
)
from grounded_builder.interfaces.http.state import State, state_of
from grounded_builder.services.jobs.open_result import OpenResult
from grounded_builder.services.jobs.service import JobError, JobRequest, JobService
from grounded_builder.services.jobs.view import job_json, line_of, picture_of, slx_of
from grounded_builder.storage import NoSuchCatalogError, Scope, timestamps
from grounded_builder.storage.jobs import ENDED, Job, JobState

router = APIRouter(tags=["jobs"])

DOMAIN = "simulink"
_ORDER_BYTES = 2_000_000
_LEASE_BYTES = 20_000
_REPORT_BYTES = 8_000_000
_DRAFTERS = ThreadPoolExecutor(4, thread_name_prefix="job")
_LOOK_S = 0.25
_STATUS = {
    "unknown-job": HTTPStatus.NOT_FOUND,
    "lease-lost": HTTPStatus.CONFLICT,
    "unknown-environment": HTTPStatus.NOT_FOUND,
    "other-draft": HTTPStatus.CONFLICT,
    "too-many-jobs": HTTPStatus.TOO_MANY_REQUESTS,
}


_SHAPED: dict[str, Any] = {"response_model": JobAnswer, "responses": refusals(409, 413, 429)}
_LOG = logging.getLogger("grounded_builder.interfaces.http")
_CLOCK_SLACK_S = 30
_MOST_WORKERS = 1_000


@router.post("/v1/simulink/jobs", openapi_extra=body_of(JobBody), **_SHAPED)
async def submit_job(
    request: Request,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)] = 0.0,
) -> Response:
    """Store a job and start its drafting; with `wait`, return after so many seconds at most."""

    async def work() -> Job:
        state, asked = state_of(request), await read_shaped(request, JobBody, _ORDER_BYTES)
        if not asked.request.strip() and asked.plan is None:
            message = "a job needs a request or a plan"
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, "write what to build")
        environment = await asyncio.to_thread(_environment, state, asked.environment)
        order = JobRequest(
            request=asked.request.strip(),
            plan=asked.plan,
            constraints=constraints_under(asked.constraints, state.switches),
            drafter=asked.drafter,
            attempts=asked.attempts,
            options=asked.options.model_dump(exclude_none=True),
            key=asked.key,
        )
        job = await asyncio.to_thread(job_service(state).submit, environment, order)
        return await _wait_until(state, job, wait, lambda now: now.state != "drafting")

    return await _respond(request, "draft", work)


@router.get("/v1/simulink/jobs", response_model=JobList, responses=refusals())
async def list_jobs(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    before: Annotated[str, Query(max_length=26)] = "",
    state: Annotated[JobState | None, Query()] = None,
) -> Response:
    """The newest jobs."""

    async def work() -> dict[str, Any]:
        listed = job_service(state_of(request)).list_jobs
        jobs = await asyncio.to_thread(listed, limit, before, state or "")
        return {"jobs": [line_of(job) for job in jobs]}

    return await always_200(request, "draft", work, {"jobs": []})


@router.get("/v1/simulink/jobs/{job}", **_SHAPED)
async def show_job(
    job: str,
    request: Request,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)] = 0.0,
    *,
    picture: bool = True,
    slx: bool = False,
) -> Response:
    """A job; with `wait`, as soon as it has ended or after that many seconds."""

    async def work() -> dict[str, Any]:
        state = state_of(request)
        stored = await asyncio.to_thread(job_service(state).get, job)
        stored = await _wait_until(state, stored, wait, lambda now: now.state in ENDED)
        answer = job_json(stored)
        if picture:
            answer["picture"] = await asyncio.to_thread(picture_of, stored)
        if slx:
            answer["slx"] = await asyncio.to_thread(_slx, state, stored)
        return answer

    return await _respond(request, "draft", work)


@router.delete("/v1/simulink/jobs/{job}", **_SHAPED)
async def cancel_job(job: str, request: Request) -> Response:
    """End a job that has not ended."""

    async def work() -> Job:
        return await asyncio.to_thread(job_service(state_of(request)).cancel, job)

    return await _respond(request, "draft", work)


@router.post("/v1/simulink/jobs/lease", openapi_extra=body_of(LeaseBody), **_SHAPED)
async def lease_job(request: Request) -> Response:
    """The next job for a worker of an environment, waited for at most `wait` seconds."""

    async def work() -> Job | None:
        state, asked = state_of(request), await read_shaped(request, LeaseBody, _LEASE_BYTES)
        environment = await asyncio.to_thread(_environment, state, asked.environment)
        facts = (environment, asked.worker, asked.seconds, asked.job)
        if asked.clock is not None:
            _warn_clock_skew(asked.worker, asked.clock)
        service = job_service(state)
        for _ in range(1 + int(asked.wait / _LOOK_S)):
            if await request.is_disconnected():
                return None
            job = await asyncio.to_thread(service.lease, *facts)
            if job is not None and await request.is_disconnected():
                # Otherwise no worker could build it until the lease expires.
                await asyncio.to_thread(service.give_back, job.id, job.lease or "")
                return None
            if job is not None or not asked.wait:
                return job
            await asyncio.sleep(_LOOK_S)
        return None

    return await _respond(request, "draft", work)


@router.post("/v1/simulink/jobs/{job}/result", openapi_extra=body_of(ReportBody), **_SHAPED)
async def report_job(job: str, request: Request) -> Response:
    """Take the report of a build; without a report the lease is renewed."""

    async def work() -> Job:
        state, asked = state_of(request), await read_shaped(request, ReportBody, _REPORT_BYTES)
        service = job_service(state)
        if asked.back:
            return await asyncio.to_thread(service.give_back, job, asked.lease)
        if asked.report is None:
            return await asyncio.to_thread(service.renew, job, asked.lease, asked.seconds)
        return await asyncio.to_thread(service.report, job, asked.lease, asked.report)

    return await _respond(request, "draft", work)


@router.post("/v1/simulink/jobs/{job}/opened", openapi_extra=body_of(OpenedBody), **_SHAPED)
async def open_job(job: str, request: Request) -> Response:
    """Record whether a client could open the `.slx` of a job, which verifies it."""

    async def work() -> Job:
        state, asked = state_of(request), await read_shaped(request, OpenedBody, _REPORT_BYTES)
        blocks = asked.blocks if isinstance(asked.blocks, list) else [asked.blocks]
        paths_and_types = tuple((block.path, block.type) for block in blocks)
        opening = OpenResult(asked.opened, asked.release, asked.message, paths_and_types)
        return await asyncio.to_thread(job_service(state).record_opening, job, asked.run, opening)

    return await _respond(request, "draft", work)


def job_service(state: State) -> JobService:
    """Returns the jobs of this server."""

    def open_conversations(environment: str) -> Any:
        return conversations_over(state, DOMAIN, _registry(state, environment))

    return JobService(state.store, open_conversations, _DRAFTERS)


def _environment(state: State, fingerprint: str) -> str:
    """Returns the full fingerprint of a stored environment; the active one without any."""
    active = state.load_registry(DOMAIN).fingerprint
    if fingerprint in ("", active):
        return active
    try:
        stored = state.store.catalog(fingerprint)
    except NoSuchCatalogError as error:
        raise _unknown_environment(fingerprint, str(error)) from error
    if stored.domain != DOMAIN:
        raise _unknown_environment(fingerprint, f"it belongs to domain {stored.domain}")
    return stored.fingerprint


def _registry(state: State, environment: str) -> Registry:
    active = state.load_registry(DOMAIN)
    if environment == active.fingerprint:
        return active
    try:
        return state.store.registry(environment)
    except NoSuchCatalogError as error:
        raise _unknown_environment(environment, str(error)) from error


def _unknown_environment(fingerprint: str, why: str) -> JobError:
    message = f"the environment {fingerprint[:12]} is not known: {why}"
    return JobError("unknown-environment", message, "run grounded.sync again")


def _slx(state: State, job: Job) -> str:
    registry = _registry(state, job.environment)
    return slx_of(job, state.domain(DOMAIN), registry, state.compile_options())


async def _wait_until(state: State, job: Job, wait: float, until: Callable[[Job], bool]) -> Job:
    """Returns the job once the condition holds, or its state after ``wait`` seconds."""
    for _ in range(int(wait / _LOOK_S)):
        if until(job):
            break
        await asyncio.sleep(_LOOK_S)
        job = await asyncio.to_thread(job_service(state).get, job.id)
    return job


async def _respond(
    request: Request, scope: Scope, work: Callable[[], Awaitable[Job | dict[str, Any] | None]]
) -> Response:
    async def shaped_work() -> dict[str, Any]:
        try:
            job = await work()
        except JobError as error:
            raise ApiError(_STATUS[error.code], error.code, str(error), error.help) from error
        if job is None:
            return {"jobs": []}
        return {"jobs": [job_json(job) if isinstance(job, Job) else job]}

    return await always_200(request, scope, shaped_work, {"jobs": []})


def _warn_clock_skew(worker: str, number: float) -> None:
    """Logs a warning when a worker's clock, in seconds since 1970, differs from the sidecar's."""
    ahead = number - timestamps.now().timestamp()
    if abs(ahead) > _CLOCK_SLACK_S:
        _log_skew(worker, round(ahead / _CLOCK_SLACK_S) * _CLOCK_SLACK_S)


@lru_cache(_MOST_WORKERS)
def _log_skew(worker: str, ahead: int) -> None:
    side = "ahead of" if ahead > 0 else "behind"
    message = "the clock of worker %r is about %d s %s the sidecar's, which leases use"
    _LOG.warning(message, worker, abs(ahead), side)
