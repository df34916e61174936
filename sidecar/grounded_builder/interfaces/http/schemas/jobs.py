"""The bodies and answers of the routes of jobs."""

from __future__ import annotations

from pathlib import PurePath, PureWindowsPath
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from grounded_builder.interfaces.http.schemas.base import Constraints
from grounded_builder.interfaces.http.schemas.session import LONGEST_REQUEST
from grounded_builder.storage.jobs import JobState

LONGEST_WAIT_S = 25.0
_LONGEST_PATH = 260
_MOST_STEPS = 1_000_000


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _model_file(file: str) -> str:
    """Returns a model's file at the worker: below no parent of where it is said to be."""
    parts = {*PurePath(file).parts, *PureWindowsPath(file).parts}
    if ".." in parts or not file.isprintable():
        raise ValueError(
            "the path of the file goes up by .. or has characters that are not printed"
        )
    if file and PurePath(file).suffix not in (".slx", ".mdl"):
        raise ValueError("the file is to be a .slx or .mdl")
    return file


class JobOptions(_Body):
    """The options of the build script; without one its own default counts."""

    Simulate: int | float | None = Field(
        default=None, ge=0, le=_MOST_STEPS, description="Steps to run."
    )
    File: Annotated[str, AfterValidator(_model_file)] | None = Field(
        default=None, max_length=_LONGEST_PATH, description="Where the worker keeps the model."
    )
    Layout: bool | None = None
    Overwrite: bool | None = None


class JobBody(_Body):
    """A request or a plan; `environment` is the fingerprint of a catalog, the active one without.

    With both the plan is built, and the request says what it is for.
    Under the same `key` the same order is the same job, however often it is sent.
    """

    request: str = Field("", max_length=LONGEST_REQUEST)
    plan: dict[str, Any] | list[Any] | None = None
    environment: str = Field("", max_length=64)
    constraints: Constraints = {}
    drafter: Literal["auto", "planner"] = "auto"
    attempts: int = Field(3, ge=1, le=10, description="Builds until the job has failed.")
    options: JobOptions = JobOptions()
    key: str = Field("", max_length=200)


class LeaseBody(_Body):
    """Which worker asks, for which environment, how long it may be silent, how long it waits.

    With `job` it takes that one alone. `clock` is the time where the worker is, in seconds since
    1970: it counts for nothing, and the log says where it is wrong.
    """

    environment: str = Field("", max_length=64)
    worker: str = Field("worker", max_length=200)
    seconds: float = Field(600.0, ge=1, le=86_400)
    wait: float = Field(0.0, ge=0, le=LONGEST_WAIT_S)
    job: str = Field("", max_length=26)
    clock: float | None = Field(None, ge=0, le=1e12)


class ReportBody(_Body):
    """What the build script returned, under the lease of the job; without a report it renews.

    With `back` the worker gives the job back as it was, to be taken by any.
    """

    lease: str = Field(max_length=26)
    report: dict[str, Any] | None = None
    seconds: float = Field(600.0, ge=1, le=86_400)
    back: bool = False


class OpenedBlock(_Body):
    """A block that a client found in an opened model: its path below the model, its type."""

    path: str
    type: str


class OpenedBody(_Body):
    """Whether a client opened the `.slx` that was made of what `run` drafted, and what it found.

    `release` is the program that opened it. A client that writes a list of one as that one may.
    """

    opened: bool
    release: str = Field(max_length=100)
    run: str = Field("", max_length=26)
    message: str = Field("", max_length=2_000)
    blocks: OpenedBlock | list[OpenedBlock] = []


class OpeningShape(_Body):
    """What became of opening the `.slx`; `verified` where every block of the model was there."""

    release: str
    verified: bool
    message: str
    at: str


class AttemptShape(_Body):
    """An attempt to build, and why it failed; `silent` when its worker never reported.

    `run` is the run that drafted what was built, `started` and `ended` are the sidecar's times.
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


class JobShape(_Body):
    """A job, with the same fields in every state.

    `picture` (SVG) and `slx` (base64) are in answers that were asked for one job.
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


class JobAnswer(_Body):
    """One job; none in `jobs` where there is no work."""

    ok: Literal[True]
    jobs: list[JobShape] = Field(max_length=1)


class JobLine(_Body):
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


class JobList(_Body):
    """Jobs, the newest first; `before` the last one asks for the next."""

    ok: Literal[True]
    jobs: list[JobLine]
