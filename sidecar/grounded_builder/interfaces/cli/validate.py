"""Implements ``grounded validate``: checks documents against the installed tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from grounded_builder.compiler.name_stats import NameOccurrence, occurrences_in
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.compiler.report import compilation_report
from grounded_builder.domains.known import DOMAINS, TARGET_OPTIONS
from grounded_builder.interfaces.cli.context import (
    CliContext,
    UnusableError,
    as_drafts,
    cli_context,
    count_names,
    with_target,
)
from grounded_builder.interfaces.cli.files import SUFFIX, around, in_folder
from grounded_builder.interfaces.cli.inputs import Line, is_json_lines, read_lines
from grounded_builder.interfaces.cli.isolated_compile import run_bounded
from grounded_builder.interfaces.cli.lint.baseline import Baseline, BaselineError, read_baseline
from grounded_builder.interfaces.cli.lint.configuration import (
    Configuration,
    ConfigurationError,
    FailOn,
    find_configuration,
    read_configuration,
)
from grounded_builder.interfaces.cli.lint.file import Style
from grounded_builder.interfaces.cli.lint.run import LintRun, run
from grounded_builder.interfaces.cli.lint.selection import Selection, SelectionError, select
from grounded_builder.interfaces.cli.lint.watch import watch
from grounded_builder.interfaces.cli.output import Format, terminal_look, write_record
from grounded_builder.ir.bundled_libraries import ExtendRegistry
from grounded_builder.ir.domain import find_extension, open_native_file
from grounded_builder.ir.target import Target, TargetError
from grounded_builder.services.isolation.bounds import CompileLimitError

DOCUMENT_KEYS = ("workflow", "plan", "draft", "model")

Compile = Callable[[CliContext, Any], Compilation]
# Adds the tools of the files beside a model to a registry.
Beside = Callable[[Path], ExtendRegistry | None]


def validate(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files, folders, patterns, or -.")
    ] = None,
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="The output form.")] = Format.text,
    ignore: Annotated[
        list[str] | None, typer.Option(help="Rules to ignore: a code, GB3, a name, advice.")
    ] = None,
    fail_on: Annotated[
        FailOn | None, typer.Option(help="The least severe class that fails the run.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="grounded.toml or pyproject.toml.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="A file of accepted findings.")] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(help="Write all findings to this file as accepted.")
    ] = None,
    library: Annotated[
        list[str] | None, typer.Option(help="Folders and files with libraries of your own.")
    ] = None,
    release: Annotated[str, typer.Option(help=TARGET_OPTIONS["release"].help)] = "",
    products: Annotated[str, typer.Option(help=TARGET_OPTIONS["products"].help)] = "",
    skip_foreign: Annotated[
        bool, typer.Option(help="Also skip named files that are not documents.")
    ] = False,
    statistics: Annotated[bool, typer.Option(help="Add a count for each rule.")] = False,
    jobs: Annotated[int, typer.Option(min=0, max=64, help="Processes; 0 for all cores.")] = 0,
    is_draft: Annotated[
        bool, typer.Option("--draft", help="Report values that a tool would ignore as errors.")
    ] = False,
    watching: Annotated[
        bool, typer.Option("--watch", help="Check files again when they change.")
    ] = False,
) -> None:
    """Check documents: every name resolved, every value and edge checked."""
    configuration = _configuration(config, ignore or [], fail_on)
    configuration = _with_target(configuration, {"release": release, "products": products})
    if is_draft:
        configuration = replace(configuration, is_draft=True)
    domain = domain or configuration.domain or _domain_of(paths or []) or "n8n"
    catalog = catalog or _configured_catalog(configuration)
    context = cli_context(domain, catalog)
    if configuration.is_draft:
        context = as_drafts(context)
    context = with_target(context, configuration.target)
    if form is Format.jsonl and is_json_lines(paths or [], context.domain.reading.suffixes):
        libraries = [*configuration.libraries, *(library or [])]
        raise typer.Exit(0 if _judge_lines(context, paths or [], libraries) else 1)
    task = LintRun(
        paths=paths or [],
        domain=domain,
        catalog=catalog,
        configuration=configuration,
        baseline=None if write_baseline else _baseline(baseline or configuration.baseline),
        write_baseline=write_baseline,
        style=Style(form, terminal_look()),
        statistics=statistics,
        skip_foreign=skip_foreign,
        jobs=jobs,
        libraries=(*configuration.libraries, *(library or [])),
    )
    clean = watch(task, context) if watching else run(task, context)
    raise typer.Exit(0 if clean or write_baseline else 1)


def judged_line(
    line: Line, context: CliContext, compile_: Compile, beside: Beside = lambda _: None
) -> tuple[dict[str, Any], Compilation | None]:
    """Returns the record of one JSON Lines entry, and its compilation unless the line
    is unusable.
    """
    key = next((key for key in DOCUMENT_KEYS if key in line.value), None)
    fault = line.fault
    if fault is None and key is None:
        fault = f"line {line.number} has none of {', '.join(DOCUMENT_KEYS)}"
    if fault is not None or key is None:
        return {"id": line.id, "error": fault}, None
    started = perf_counter()
    draft = line.value[key]
    file = Path(draft) if key == "model" and isinstance(draft, str) else None
    try:
        raw = draft if file is None else file.read_bytes()
        work = partial(_compiled_line, raw, file, context, compile_, beside)
        compilation: Compilation = run_bounded(work, raw, context)
    except OSError as error:
        return {"id": line.id, "error": f"{file}: {error.strerror or error}"}, None
    except CompileLimitError as error:
        return {"id": line.id, "error": f"{error}; {error.help}"}, None
    ms = (perf_counter() - started) * 1000
    return compilation_report(compilation, ms, id=line.id), compilation


def _compiled_line(
    draft: Any, file: Path | None, context: CliContext, compile_: Compile, beside: Beside
) -> Compilation:
    if file is not None:
        native = open_native_file(draft, file.name, context.domain)
        draft = draft if native is None else native
        if native is not None and (widen := beside(file)) is not None:
            context = replace(context, registry=widen(native.document, context.registry))
    return compile_(context, draft)


def _judge_lines(context: CliContext, paths: list[str], libraries: list[str]) -> bool:
    clean = True
    met: Counter[NameOccurrence] = Counter()
    beside = _beside(context, libraries)
    for line in read_lines(paths):
        record, compilation = judged_line(line, context, _compile, beside)
        clean = clean and compilation is not None and compilation.verdict == "ok"
        write_record(record)
        met.update(() if compilation is None else occurrences_in(compilation, context.registry))
    count_names(met, context)
    return clean


def _beside(context: CliContext, libraries: list[str]) -> Beside:
    """Returns the function that finds libraries for models: in their folders and where they are
    named.
    """
    suffixes = context.domain.reading.suffixes
    named = around(libraries, suffixes)

    @cache
    def of_folder(folder: Path) -> ExtendRegistry | None:
        return find_extension([*in_folder(folder, suffixes), *named], context.domain)

    return lambda file: of_folder(file.parent)


def _compile(context: CliContext, draft: Any) -> Compilation:
    return compile_draft(
        draft, context.domain, context.registry, context.options, context.references
    )


def _domain_of(paths: list[str]) -> str:
    """Returns the domain of these files by their suffixes, "" where the suffixes do not decide."""
    for name, domain in DOMAINS.items():
        own = tuple(suffix for suffix in domain.reading.suffixes if suffix != SUFFIX)
        if paths and own and all(path.lower().endswith(own) for path in paths):
            return name
    return ""


def _configuration(file: Path | None, ignore: list[str], fail_on: FailOn | None) -> Configuration:
    try:
        configuration = read_configuration(file) if file else find_configuration(Path.cwd())
        chosen = select(word for words in ignore for word in words.split(","))
    except (ConfigurationError, SelectionError) as error:
        raise UnusableError(str(error)) from error
    ignored = Selection(configuration.ignore.codes | chosen.codes)
    return replace(configuration, ignore=ignored, fail_on=fail_on or configuration.fail_on)


def _with_target(configuration: Configuration, options: Mapping[str, str]) -> Configuration:
    """Returns the configuration for the target that the command line states."""
    try:
        target = Target.of(
            {
                name: TARGET_OPTIONS[name].read_text(text, f"--{name}")
                for name, text in options.items()
            }
        )
    except TargetError as error:
        raise UnusableError(str(error)) from error
    return replace(configuration, target=target.over(configuration.target))


def _configured_catalog(configuration: Configuration) -> str:
    """Returns the catalog file beside the configuration where there is one, else a fingerprint."""
    file = configuration.root / configuration.catalog
    return str(file) if configuration.catalog and file.is_file() else configuration.catalog


def _baseline(file: Path | None) -> Baseline | None:
    try:
        return read_baseline(file) if file else None
    except BaselineError as error:
        raise UnusableError(str(error)) from error
