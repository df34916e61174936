"""Implements ``grounded jobs``: submits models to workers; lists, shows and cancels jobs."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from grounded_builder.catalog.registry import Registry
from grounded_builder.interfaces.cli.context import (
    CliContext,
    UnusableError,
    clear_errors,
    cli_context,
)
from grounded_builder.interfaces.cli.output import (
    Format,
    complain,
    expect_form,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.interfaces.cli.output_file import expect_output, write_artifact
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.jobs.service import JobError, JobRequest, JobService
from grounded_builder.services.jobs.view import artifact_of, job_json, line_of
from grounded_builder.storage.jobs import ENDED, Job, JobState

jobs = typer.Typer(help="Submit models to workers, and show the results.", no_args_is_help=True)

_DOMAIN = "simulink"
_LONGEST = 100_000
_LOOK_S = 0.5
_WIDTH = 60

_Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a job.")]
_Wait = Annotated[
    float, typer.Option(min=0, max=86_400, help="Seconds to wait for the end of the job.")
]
_Form = Annotated[Format, typer.Option("--format", help="text or json.")]
_Output = Annotated[
    Path | None, typer.Option(help="Write the model: .m, .slx, .svg, .json, or a folder.")
]
_Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the file.")]


Result = TypeVar("Result")


class _InlineExecutor(Executor):
    """An executor that runs work in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Runs the work before it returns."""
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@jobs.command()
def submit(
    request: Annotated[str, typer.Argument(help="The model, in your words.")] = "",
    plan: Annotated[Path | None, typer.Option(help="A plan, as a JSON file.")] = None,
    environment: Annotated[
        str, typer.Option(help="The fingerprint from grounded.sync; default: the active catalog.")
    ] = "",
    attempts: Annotated[
        int, typer.Option(min=1, max=10, help="Number of builds before the job fails.")
    ] = 3,
    simulate: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Number of steps to simulate.")
    ] = 0,
    key: Annotated[str, typer.Option(help="Repeated orders with this key are one job.")] = "",
    wait: _Wait = 0.0,
    form: _Form = Format.text,
    output: _Output = None,
    *,
    planner: Annotated[bool, typer.Option("--planner", help="Draft without a model.")] = False,
    overwrite: _Overwrite = False,
) -> None:
    """Draft a model and submit it to a worker, which runs `grounded.work` in MATLAB."""
    expect_form(form, Format.text, Format.json)
    _expect_place(output, overwrite=overwrite)
    order = JobRequest(
        request=_request(request, plan),
        plan=None if plan is None else _plan(plan),
        drafter="planner" if planner else "auto",
        attempts=attempts,
        options={"Simulate": simulate} if simulate else {},
        key=key,
    )
    context = cli_context(_DOMAIN, environment, "import")
    environment = context.registry.fingerprint
    job = _with_jobs(context, lambda service: service.get(service.submit(environment, order).id))
    _finish(context, job, wait, form, output, overwrite=overwrite)


@jobs.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="Maximum number of jobs.")] = 20,
    state: Annotated[JobState | None, typer.Option(help="Only jobs in this state.")] = None,
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
) -> None:
    """List jobs, newest first."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    context = cli_context(_DOMAIN, "")
    done = _with_jobs(
        context, lambda service: [line_of(job) for job in service.list_jobs(limit, "", state or "")]
    )
    if form is Format.json:
        write_json(done)
    for job in done if form is not Format.json else ():
        if form is Format.jsonl:
            write_record(job)
        else:
            text = " ".join(job["request"].split())[:_WIDTH]
            write_line(f"{job['id']}  {job['created'][:19]}  {job['state']:<9}  {text}")
    if not done and form is Format.text:
        asked = f"no job has the state {state}" if state else "there are no jobs"
        write_line(f'{asked}; try `grounded jobs submit "..."`')


@jobs.command()
def show(
    job: _Id,
    wait: _Wait = 0.0,
    form: _Form = Format.text,
    output: _Output = None,
    *,
    overwrite: _Overwrite = False,
) -> None:
    """Show a job: its draft, and the result of each attempt."""
    expect_form(form, Format.text, Format.json)
    _expect_place(output, overwrite=overwrite)
    context = cli_context(_DOMAIN, "")
    done = _with_jobs(context, lambda service: service.get(job))
    _finish(context, done, wait, form, output, overwrite=overwrite)


@jobs.command()
def cancel(job: _Id) -> None:
    """Cancel a job that has not ended."""
    context = cli_context(_DOMAIN, "")
    write_line(f"{job} is {_with_jobs(context, lambda service: service.cancel(job)).state}")


def _with_jobs(context: CliContext, work: Callable[[JobService], Result]) -> Result:
    """Returns the result of work on the jobs of the store; raises UnusableError for a job error."""

    def open_conversations(environment: str) -> Conversations:
        registry = _registry(context, environment)
        references = cache(lambda: context.store.references(_DOMAIN))
        return Conversations(context.store, context.domain, registry, references)

    with clear_errors():
        try:
            return work(JobService(context.store, open_conversations, _InlineExecutor()))
        except JobError as error:
            raise UnusableError(f"{error}; {error.help}") from error


def _finish(
    context: CliContext,
    job: Job,
    wait: float,
    form: Format,
    output: Path | None,
    *,
    overwrite: bool,
) -> None:
    """Waits for a job, prints it and writes its artifact; exits with 1 unless it succeeded."""
    until, job_id = time.monotonic() + wait, job.id
    while job.state not in ENDED and time.monotonic() < until:
        time.sleep(_LOOK_S)
        job = _with_jobs(context, lambda service: service.get(job_id))
    if form is Format.text:
        _write_job(job_json(job))
    else:
        write_json(job_json(job))
    artifact = artifact_of(job)
    if output is not None and artifact is not None:
        with clear_errors():
            context = replace(context, registry=_registry(context, job.environment))
        place = write_artifact(artifact, context, output, overwrite=overwrite)
        (write_line if form is Format.text else complain)(f"written to {place}")
    is_well = job.state == "built" or (not wait and job.state not in ENDED)
    raise typer.Exit(0 if is_well else 1)


def _registry(context: CliContext, environment: str) -> Registry:
    known = context.registry
    return known if environment == known.fingerprint else context.store.registry(environment)


def _write_job(job: dict[str, Any]) -> None:
    value = job["problem"] or job["summary"]
    write_line(f"{job['id']}  {job['state']}: {value}")
    for attempt in job["attempts"]:
        text = "built" if attempt["ok"] else "silent" if attempt["silent"] else "failed"
        write_line(f"  attempt {attempt['number']} by {attempt['worker']}: {text}")
        for finding in attempt["diagnostics"]:
            write_line(f"    {finding['code']}: {finding['message']}")
    if not job["script"]:
        for finding in job["diagnostics"]:
            if finding["class"] == "wrong":
                write_line(f"  {finding['code']} at {finding['at']}: {finding['message']}")
    if job["state"] == "ready":
        write_line("  no worker has leased it: run grounded.work in MATLAB")
    if job["run"]:
        write_line(f"  run {job['run']}: see `grounded runs {job['run']}`")


def _expect_place(output: Path | None, *, overwrite: bool) -> None:
    if output is not None:
        expect_output(output, _DOMAIN, overwrite=overwrite)


def _request(request: str, plan: Path | None) -> str:
    text = request.strip()
    if not text and plan is None:
        raise UnusableError("there is no request: write what to build, or name a --plan")
    if len(text) > _LONGEST:
        raise UnusableError(f"the request has {len(text):,} characters, the limit is {_LONGEST:,}")
    return text


def _plan(file: Path) -> Any:
    try:
        plan = json.loads(file.read_bytes())
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise UnusableError(f"{file} is not JSON: {error}") from error
    if not isinstance(plan, (dict, list)):
        raise UnusableError(f"{file} is not a plan: an object or a list of steps is expected")
    return plan
