"""Defines the JSON bodies and answers of the routes for jobs and their workers."""

from __future__ import annotations

from pathlib import PurePath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from grounded_builder.interfaces.http.schemas.base import Constraints, Shape
from grounded_builder.interfaces.http.schemas.session import LONGEST_REQUEST
from grounded_builder.storage.jobs import JobState

LONGEST_WAIT_S = 25.0
_LONGEST_PATH = 260
_MOST_STEPS = 1_000_000


def _model_file(file: str) -> str:
    """Returns the path of a model's file at the worker, which must not leave its folder."""
    parts = {*PurePath(file).parts, *PureWindowsPath(file).parts}
    if ".." in parts or not file.isprintable():
        raise ValueError("the path of the file contains .. or unprintable characters")
    if file and PurePath(file).suffix not in (".slx", ".mdl"):
        raise ValueError("the file must be a .slx or .mdl")
    return file


class JobOptions(Shape):
    """The options of the build script, each with the script's own default."""

    Simulate: int | float | None = Field(
        default=None, ge=0, le=_MOST_STEPS, description="Number of steps to simulate."
    )
    File: Annotated[str, AfterValidator(_model_file)] | None = Field(
        default=None, max_length=_LONGEST_PATH, description="The model file at the worker."
    )
    Layout: bool | None = None
    Overwrite: bool | None = None


class JobBody(Shape):
    """A request or a plan; `environment` is the fingerprint of a catalog.

    The default is the active catalog. With both, the plan is built, and the request describes its
    purpose. Repeated orders with the same `key` are one job.
    """

    request: str = Field("", max_length=LONGEST_REQUEST)
    plan: dict[str, Any] | list[Any] | None = None
    environment: str = Field("", max_length=64)
    constraints: Constraints = Field({})
    drafter: Literal["auto", "planner"] = "auto"
    attempts: int = Field(3, ge=1, le=10, description="The number of builds before the job fails.")
    options: JobOptions = JobOptions()
    key: str = Field("", max_length=200)


class LeaseBody(Shape):
    """The worker, its environment, how long it may be silent, and how long it waits.

    With `job` it leases that one only. `clock` is the time at the worker, in seconds since 1970: it
    is not used, and a wrong clock is logged.
    """

    environment: str = Field("", max_length=64)
    worker: str = Field("worker", max_length=200)
    seconds: float = Field(600.0, ge=1, le=86_400)
    wait: float = Field(0.0, ge=0, le=LONGEST_WAIT_S)
    job: str = Field("", max_length=26)
    clock: float | None = Field(None, ge=0, le=1e12)


class ReportBody(Shape):
    """The result of the build script, under the lease of the job; without a report it renews the
    lease.

    With `back` the worker returns the job unchanged, for any worker to lease.
    """

    lease: str = Field(max_length=26)
    report: dict[str, Any] | None = None
    seconds: float = Field(600.0, ge=1, le=86_400)
    back: bool = False


class OpenedBlock(Shape):
    """A block that a client found in an opened model: its path below the model, its type."""

    path: str
    type: str


class OpenedBody(Shape):
    """Whether a client opened the `.slx` drafted by `run`, and its blocks.

    `release` is the program that opened it. A list of one may be sent as its element.
    """

    opened: bool
    release: str = Field(max_length=100)
    run: str = Field("", max_length=26)
    message: str = Field("", max_length=2_000)
    blocks: OpenedBlock | list[OpenedBlock] = Field([])


class OpeningShape(Shape):
    """The result of opening the `.slx`; `verified` where every block of the model was there."""

    release: str
    verified: bool
    message: str
    at: str


class AttemptShape(Shape):
    """An attempt to build, and why it failed; `silent` when its worker never reported.

    `run` is the run that drafted the model, `started` and `ended` are the sidecar's times.
    """

    number: int
    worker: str
    lease: str
    silent: bool
    started: str
    ended: str
    run: str
    ok: bool
    model: str
    errors: int
    differences: int
    diagnostics: list[Any]


class JobShape(Shape):
    """A job, with the same fields in every state.

    `picture` (SVG) and `slx` (base64) are only in answers about a single job.
    """

    id: str
    state: JobState
    environment: str
    request: str
    lease: str
    attempt: int
    summary: str
    problem: str
    run: str
    rounds: int
    script: str
    file: str
    options: str = Field(description="The options of the script, as a JSON text.")
    diagnostics: list[Any]
    report: dict[str, Any]
    attempts: list[AttemptShape]
    picture: str
    slx: str
    verified: bool = Field(description="Whether a client opened the `.slx` with all its blocks.")
    openings: list[OpeningShape]
    created: str


class JobAnswer(Shape):
    """One job; `jobs` is empty where there is no work."""

    ok: Literal[True]
    jobs: list[JobShape] = Field(max_length=1)


class JobLine(Shape):
    """A job in a list; `holder` is the worker that has it."""

    id: str
    state: JobState
    environment: str
    request: str
    holder: str
    attempts: int
    problem: str
    created: str
    changed: str


class JobList(Shape):
    """Jobs, newest first; pass the last id as `before` for the next page."""

    ok: Literal[True]
    jobs: list[JobLine]
