"""Routes of jobs: submit, wait, and what a MATLAB worker asks and reports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from grounded_builder.api.errors import ApiError
from grounded_builder.api.plain import answered, shaped
from grounded_builder.api.requests import body_of, refusals
from grounded_builder.api.sessions import conversations_over
from grounded_builder.api.state import State, state_of
from grounded_builder.api.talking import LONGEST_REQUEST
from grounded_builder.jobs import JobError, JobOrder, Workshop, shown
from grounded_builder.registry.registry import Registry
from grounded_builder.storage import NoSuchCatalogError, Scope
from grounded_builder.storage.jobs import ENDED, Job

router = APIRouter(tags=["jobs"])

DOMAIN = "simulink"
_BODY_BYTES = 20_000_000
_DRAFTERS = ThreadPoolExecutor(4, thread_name_prefix="job")
_LONGEST_WAIT_S = 25.0
_LOOK_S = 0.25
_STATUS = {
    "unknown-job": HTTPStatus.NOT_FOUND,
    "lease-lost": HTTPStatus.CONFLICT,
    "unknown-environment": HTTPStatus.NOT_FOUND,
}


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class JobBody(_Body):
    """A request or a plan; `environment` is the fingerprint of a catalog, the active one without.

    `options` are those of the build script: `Simulate`, `File`, `Layout`, `Overwrite`.
    """

    request: str = Field("", max_length=LONGEST_REQUEST)
    plan: dict[str, Any] | list[Any] | None = None
    environment: str = Field("", max_length=64)
    constraints: dict[str, Any] = {}
    drafter: Literal["auto", "planner"] = "auto"
    attempts: int = Field(3, ge=1, le=10, description="Builds until the job has failed.")
    options: dict[str, bool | int | float | str] = {}


class LeaseBody(_Body):
    """Which worker asks, for which environment, how long it may be silent, how long it waits."""

    environment: str = Field("", max_length=64)
    worker: str = Field("worker", max_length=200)
    seconds: float = Field(600.0, ge=1, le=86_400)
    wait: float = Field(0.0, ge=0, le=_LONGEST_WAIT_S)


class ReportBody(_Body):
    """What the build script returned, under the lease of the job; without a report it renews."""

    lease: str = Field(max_length=26)
    report: dict[str, Any] | None = None
    seconds: float = Field(600.0, ge=1, le=86_400)


class AttemptShape(_Body):
    """An attempt to build; `silent` when its worker never reported."""

    worker: str
    silent: bool


class JobShape(_Body):
    """A job, with the same fields in every state."""

    id: str
    state: Literal["drafting", "ready", "leased", "built", "failed", "cancelled"]
    environment: str
    lease: str
    attempt: int
    summary: str
    problem: str
    run: str
    script: str
    file: str
    options: str = Field(description="The options of the script, as a JSON text.")
    diagnostics: list[Any]
    report: dict[str, Any]
    attempts: list[AttemptShape]


class JobAnswer(_Body):
    """One job; none in `jobs` where there is no work."""

    ok: Literal[True]
    jobs: list[JobShape] = Field(max_length=1)


_SHAPED: dict[str, Any] = {"response_model": JobAnswer, "responses": refusals(409, 413)}


@router.post("/v1/simulink/jobs", openapi_extra=body_of(JobBody), **_SHAPED)
async def submit_job(
    request: Request,
    wait: Annotated[float, Query(ge=0, le=_LONGEST_WAIT_S)] = 0.0,
) -> Response:
    """Keep a job and have it drafted; `wait` seconds for the draft."""

    async def work() -> Job:
        state, asked = state_of(request), await shaped(request, JobBody, _BODY_BYTES)
        if not asked.request.strip() and asked.plan is None:
            message = "a job needs a request or a plan"
            raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, "say what to build")
        registry = await asyncio.to_thread(_environment, state, asked.environment)
        order = JobOrder(
            request=asked.request.strip(),
            plan=asked.plan,
            constraints=asked.constraints,
            drafter=asked.drafter,
            attempts=asked.attempts,
            options=asked.options,
        )
        job = await asyncio.to_thread(workshop(state).submit, registry.fingerprint, order)
        return await _awaited(state, job, wait, lambda one: one.state != "drafting")

    return await _answered(request, "draft", work)


@router.get("/v1/simulink/jobs/{job}", **_SHAPED)
async def show_job(
    job: str,
    request: Request,
    wait: Annotated[float, Query(ge=0, le=_LONGEST_WAIT_S)] = 0.0,
) -> Response:
    """A job; with `wait` when it has ended, or after so many seconds."""

    async def work() -> Job:
        state = state_of(request)
        found = await asyncio.to_thread(workshop(state).get, job)
        return await _awaited(state, found, wait, lambda one: one.state in ENDED)

    return await _answered(request, "draft", work)


@router.delete("/v1/simulink/jobs/{job}", **_SHAPED)
async def cancel_job(job: str, request: Request) -> Response:
    """End a job that has not ended."""

    async def work() -> Job:
        return await asyncio.to_thread(workshop(state_of(request)).cancel, job)

    return await _answered(request, "draft", work)


@router.post("/v1/simulink/jobs/lease", openapi_extra=body_of(LeaseBody), **_SHAPED)
async def lease_job(request: Request) -> Response:
    """The next job for a worker of an environment, waited for at most `wait` seconds."""

    async def work() -> Job | None:
        state, asked = state_of(request), await shaped(request, LeaseBody, _BODY_BYTES)
        registry = await asyncio.to_thread(_environment, state, asked.environment)
        facts = (registry.fingerprint, asked.worker, asked.seconds)
        for _ in range(1 + int(asked.wait / _LOOK_S)):
            job = await asyncio.to_thread(workshop(state).lease, *facts)
            if job is not None or not asked.wait:
                return job
            await asyncio.sleep(_LOOK_S)
        return None

    return await _answered(request, "draft", work)


@router.post("/v1/simulink/jobs/{job}/result", openapi_extra=body_of(ReportBody), **_SHAPED)
async def report_job(job: str, request: Request) -> Response:
    """Take what a build came to; without a report the lease is renewed."""

    async def work() -> Job:
        state, asked = state_of(request), await shaped(request, ReportBody, _BODY_BYTES)
        shop = workshop(state)
        if asked.report is None:
            return await asyncio.to_thread(shop.renew, job, asked.lease, asked.seconds)
        return await asyncio.to_thread(shop.report, job, asked.lease, asked.report)

    return await _answered(request, "draft", work)


def workshop(state: State) -> Workshop:
    """The jobs of this server."""

    def conversing(environment: str) -> Any:
        return conversations_over(state, DOMAIN, _environment(state, environment))

    return Workshop(state.store, conversing, _DRAFTERS)


def _environment(state: State, fingerprint: str) -> Registry:
    active = state.registry(DOMAIN)
    if fingerprint in ("", active.fingerprint):
        return active
    try:
        return state.store.registry(fingerprint)
    except NoSuchCatalogError as error:
        message = f"the environment {fingerprint[:12]} is not known: {error}"
        raise JobError("unknown-environment", message, "run grounded.sync again") from error


async def _awaited(state: State, job: Job, wait: float, until: Callable[[Job], bool]) -> Job:
    """The job once it is so, or after ``wait`` seconds as it is."""
    for _ in range(int(wait / _LOOK_S)):
        if until(job):
            break
        await asyncio.sleep(_LOOK_S)
        job = await asyncio.to_thread(workshop(state).get, job.id)
    return job


async def _answered(
    request: Request, scope: Scope, work: Callable[[], Awaitable[Job | None]]
) -> Response:
    async def shaped_work() -> dict[str, Any]:
        try:
            job = await work()
        except JobError as error:
            raise ApiError(_STATUS[error.code], error.code, str(error), error.help) from error
        return {"jobs": [] if job is None else [shown(job)]}

    return await answered(request, scope, shaped_work, {"jobs": []})
