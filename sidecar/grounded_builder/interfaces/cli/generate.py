"""Implements ``grounded generate``: drafts an artifact for a request; can try and import it."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.drafting.after_trial import Trying
from grounded_builder.interfaces.cli.context import (
    CliContext,
    UnusableError,
    clear_errors,
    cli_context,
)
from grounded_builder.interfaces.cli.inputs import read_lines
from grounded_builder.interfaces.cli.isolated_compile import compiling_apart
from grounded_builder.interfaces.cli.output import (
    Format,
    complain,
    expect_form,
    write_fault,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.interfaces.cli.output_file import expect_output, write_artifact
from grounded_builder.ir.domain import Domain
from grounded_builder.services.account_lists import entry_chooser
from grounded_builder.services.conversation_record import Answer
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.generate import DrafterChoice
from grounded_builder.services.generate import generate as generate_whole
from grounded_builder.services.import_workflow import WorkflowImport, result_json, run_import
from grounded_builder.services.isolation.compiler import Compiling
from grounded_builder.services.rehearsal import rehearsal_runner
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.services.trial_run import trial_runner
from grounded_builder.settings import MOST_ROUNDS

_LONGEST = 100_000


def generate(
    requests: Annotated[
        list[str] | None,
        typer.Argument(help="What you want, in your words, or -; with jsonl: files, or -."),
    ] = None,
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    rounds: Annotated[
        int | None, typer.Option(min=1, max=MOST_ROUNDS, help="Maximum number of drafts.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
    output: Annotated[
        Path | None,
        typer.Option(
            help="Write the artifact: .json, for simulink also .m, .slx, .svg, or a folder."
        ),
    ] = None,
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing file.")
    ] = False,
    planner: Annotated[
        bool, typer.Option("--planner", help="Use the planner instead of a model.")
    ] = False,
    import_: Annotated[bool, typer.Option("--import", help="Import it into n8n.")] = False,
    publish: Annotated[bool, typer.Option("--publish", help="Import and publish it.")] = False,
    trial: Annotated[
        bool | None,
        typer.Option("--trial/--no-trial", help="Run a copy in the configured n8n first."),
    ] = None,
    rehearse: Annotated[
        bool, typer.Option("--rehearse", help="Run the real nodes without a network first.")
    ] = False,
    lists: Annotated[
        bool,
        typer.Option(
            "--lists/--no-lists", help="Look up names in n8n's lists, with GROUNDED_N8N_EMAIL."
        ),
    ] = True,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Build the part that compiles if the whole does not.")
    ] = False,
) -> None:
    """Draft, compile and correct an artifact, with GROUNDED_MODEL_URL or else the planner."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    runs = {"--trial": bool(trial), "--rehearse": rehearse}
    _expect_n8n(domain, {"--import": import_, "--publish": publish, **runs})
    if output is not None:
        if form is Format.jsonl or len(requests or []) > 1:
            raise UnusableError("--output takes the artifact of one request")
        expect_output(output, domain, overwrite=overwrite)
    context = cli_context(domain, catalog, "import")
    choice: DrafterChoice = "planner" if planner else "auto"
    facts = (context.store, context.domain, context.registry, context.references)
    # All of it: a process in which V8 has run cannot be forked for the next request.
    compiling = compiling_apart(context)
    keeper = StageKeeper(context.store.settings)
    atexit.register(keeper.close)
    trying = _choose_trying(context, keeper, compiling, rehearse=rehearse)
    choosing = None
    if domain == "n8n":
        read = (context.store.settings, context.registry, context.references, compiling)
        choosing = entry_chooser(*read)
    talks = Conversations(*facts, compiling, trying, choosing, judges=rehearse)
    imports = import_ or publish
    if trial is None:
        trial = domain == "n8n" and (rehearse or context.store.settings.has_n8n)

    def compile_request(request: str, constraints: Mapping[str, Any]) -> Answer:
        with clear_errors():
            asked = (request, constraints, rounds, choice, talks, context.store)
            answer = generate_whole(*asked, salvage=salvage, trial=trial, lists=lists)
            if not imports or answer["artifact"] is None:
                return answer
            return {**answer, "import": _import(answer, context, compiling, publish=publish)}

    clean = True
    if form is Format.jsonl:
        for line in read_lines(requests or []):
            fault = line.fault or _fault(line.value)
            if fault is not None:
                write_fault(line.id, fault)
                clean = False
                continue
            answer = compile_request(line.value["request"], line.value.get("constraints") or {})
            write_record({"id": line.id, **answer})
            clean = clean and _is_clean(answer)
        raise typer.Exit(0 if clean else 1)
    for request in requests or ["-"]:
        text = sys.stdin.read() if request == "-" else request
        fault = _fault({"request": text})
        if fault is not None:
            raise UnusableError(fault)
        answer = compile_request(text, {})
        clean = clean and _is_clean(answer)
        if form is Format.text:
            _write_answer(answer, context.domain, is_written=output is not None)
        else:
            write_json(answer)
        if output is not None and answer["artifact"] is not None:
            place = write_artifact(answer["artifact"], context, output, overwrite=overwrite)
            (write_line if form is Format.text else complain)(f"written to {place}")
    raise typer.Exit(0 if clean else 1)


def _expect_n8n(domain: str, asked: Mapping[str, bool]) -> None:
    """Raises UnusableError for an n8n option with another domain."""
    for option, wanted in asked.items():
        if wanted and domain != "n8n":
            raise UnusableError(f"{option} requires domain n8n, not {domain}")


def _choose_trying(
    context: CliContext, keeper: StageKeeper, compiling: Compiling, *, rehearse: bool
) -> Trying | None:
    """Returns what runs drafts: a rehearsal, or a trial in the user's n8n."""
    facts = (context.store, context.registry, context.references)
    if rehearse:
        return rehearsal_runner(*facts, keeper)
    return trial_runner(*facts, compiling) if context.domain.name == "n8n" else None


def _import(
    answer: Answer, context: CliContext, compiling: Compiling, *, publish: bool
) -> dict[str, Any]:
    request = WorkflowImport(
        answer["artifact"],
        receipt=answer["receipt"],
        signed=True,
        key=answer["session"],
        publish=publish,
        lists=False,  # they were read for the draft
    )
    facts = (context.store, context.registry, context.references, compiling)
    return result_json(run_import(request, *facts))


def _fault(value: Mapping[str, Any]) -> str | None:
    request = value.get("request")
    if not isinstance(request, str) or not request.strip():
        return 'there is no request: {"request": "what you want"} is expected'
    if len(request) > _LONGEST:
        return f"the request has {len(request):,} characters, the limit is {_LONGEST:,}"
    if not isinstance(value.get("constraints") or {}, dict):
        return "constraints are not an object"
    return None


def _is_clean(answer: Answer) -> bool:
    imported = answer.get("import")
    return answer["outcome"] == "built" and (imported is None or imported["outcome"] == "imported")


def _write_answer(answer: Answer, domain: Domain, *, is_written: bool) -> None:
    write_line(f"{answer['outcome']}: {answer['summary']}")
    if answer["outcome"] == "refused":
        for finding in answer["diagnostics"]:
            if finding["class"] == "wrong":
                write_line(f"  {finding['code']} at {finding['at']}: {finding['message']}")
    for point in answer["todo"]:
        write_line(f"  to do: {point}")
    imported = answer.get("import")
    if imported is not None:
        state = "published" if imported["published"] else "not published"
        place = f", {state}: {imported['url']}" if imported["url"] else ""
        write_line(f"  {imported['outcome']}{place}")
        if imported["outcome"] != "imported":
            for finding in imported["diagnostics"]:
                write_line(f"  {finding['code']}: {finding['message']}; {finding['help']}")
    elif answer["artifact"] is not None and not is_written:
        file = answer["artifact"].get("file")
        first = f"{file}: --output . writes it" if file else "--output FILE writes it"
        first = "--import imports it into n8n" if domain.name == "n8n" else first
        write_line(f"  {first}, --format json shows it")
    write_line(f"  run {answer['session']}: see `grounded runs {answer['session']}`")
