"""Runs a trial of a workflow: makes a safe copy, runs it in n8n, reads the result, deletes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from ulid import ULID

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic, new_diagnostic, sorted_unique
from grounded_builder.diagnostics.finding_json import as_json, to_short_form
from grounded_builder.domains.n8n.deploy.client import UNREACHABLE_INSTANCE, N8nClient, diagnose
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.trial.assign_roles import cast_of
from grounded_builder.domains.n8n.trial.execution_result import Report
from grounded_builder.domains.n8n.trial.findings import (
    extent_finding,
    findings,
    never_run,
    outcome_of,
    without_added_nodes,
)
from grounded_builder.domains.n8n.trial.run import UNCLEAR_RUN, Conduct, conduct, sweep
from grounded_builder.domains.n8n.trial.sandbox_copy import Cast, SandboxCopy, replica_of
from grounded_builder.drafting.after_trial import Trying
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.isolation.bounds import CompileLimitError
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.storage.store import Store
from grounded_builder.storage.trials import TrialStore

Samples = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial: the content, and sample items for nodes that are not run, by node name.

    ``size`` is the length of outside content in bytes.
    """

    content: Any
    samples: Samples = field(default_factory=dict)
    size: int = 0


@dataclass(frozen=True, slots=True)
class TrialResult:
    """The result of a trial.

    ``outcome`` is "passed", "failed", "unfinished", "untried" (n8n could not run it) or "refused"
    (the workflow is wrong and nothing was sent). ``stood_in`` are the nodes that were not run, each
    with the reason and the origin of its items. ``never_run`` are the nodes that no run reached.
    """

    outcome: str
    diagnostics: tuple[Diagnostic, ...]
    reports: tuple[Report, ...] = ()
    stood_in: tuple[Mapping[str, str], ...] = ()
    never_run: tuple[str, ...] = ()


def run_trial(
    trial: Trial,
    store: Store,
    registry: Registry,
    references: ReferenceCatalogs,
    compiling: Compiling = compile_here,
    preparing: Compiling = compile_here,
) -> TrialResult:
    """Compiles the content and runs the artifact, in bounded time for any workflow.

    ``preparing`` does the work on the artifact before and after its run.
    """
    settings = store.settings
    options = CompileOptions(purpose="judge", policy=settings.policy, limits=settings.limits)
    work = partial(compile_with_fixes, trial.content, N8N, registry, options, references)
    compilation: Compilation = compiling(work, trial.size)
    if compilation.artifact is None:
        return TrialResult("refused", compilation.diagnostics)
    if settings.n8n_url is None or settings.n8n_api_key is None:
        name = "GROUNDED_N8N_URL" if settings.n8n_url is None else "GROUNDED_N8N_API_KEY"
        missing = new_diagnostic(
            UNREACHABLE_INSTANCE, (), f"no n8n to try in: {name} is not set", help=f"set {name}"
        )
        return TrialResult("untried", sorted_unique((*compilation.diagnostics, missing)))
    unready = incomplete_nodes(compilation)
    connect = partial(N8nClient, settings.n8n_url, settings.n8n_api_key)
    subject = ArtifactTrial(
        compilation.artifact, trial.samples, registry, references, unready, connect
    )
    with connect() as client:
        book = TrialStore(store.engine, client.url)
        try:
            tidy(client, book)
            tried = run_artifact(subject, client, book, preparing)
        except N8nError as error:
            return TrialResult(
                "untried", sorted_unique((*compilation.diagnostics, diagnose(error)))
            )
    diagnostics = sorted_unique((*compilation.diagnostics, *tried.diagnostics))
    return TrialResult(tried.outcome, diagnostics, tried.reports, tried.stood_in, tried.never_run)


def run_artifact(
    subject: ArtifactTrial, client: N8nClient, book: TrialStore, compiling: Compiling
) -> TrialResult:
    """Runs an artifact; the findings point into the artifact.

    What is derived from the artifact before and after the run is compiled work.
    """
    trial_id = str(ULID())
    prepared: PreparedTrial | None = compiling(partial(subject.prepare, name_of(trial_id)))
    if prepared is None:
        return TrialResult("untried", ())
    if not prepared.replica.starts:
        message = "nothing can be run: no trigger is enabled"
        return TrialResult(
            "untried", (new_diagnostic(UNCLEAR_RUN, (), message, help="add a trigger"),)
        )
    log = book.begin(trial_id)
    try:
        done = conduct(client, prepared.replica, log)
    finally:
        log.let_go()
    result: TrialResult = compiling(partial(subject.report, done, prepared))
    return result


@dataclass(frozen=True, slots=True)
class PreparedTrial:
    """The copy to run, and the JSON schemas that n8n has for the data of nodes, by their routes."""

    replica: SandboxCopy
    schemas: Mapping[tuple[str, ...], Mapping[str, Any] | None]


@dataclass(frozen=True, slots=True)
class ArtifactTrial:
    """An artifact to run, and what its copy is made with.

    ``connect`` opens a connection to n8n: a forked process must not use that of its parent.
    """

    artifact: Mapping[str, Any]
    samples: Samples
    registry: Registry
    references: ReferenceCatalogs
    unready: frozenset[str]
    connect: Callable[[], N8nClient]

    def prepare(self, name: str) -> PreparedTrial | None:
        """Returns the copy under a name; None where the artifact has no graph."""
        schemas: dict[tuple[str, ...], Mapping[str, Any] | None] = {}

        with ExitStack() as stack:
            connected: list[N8nClient] = []

            def ask(*route: str) -> Mapping[str, Any] | None:
                if route not in schemas:
                    schemas[route] = None
                    with suppress(N8nError):
                        if not connected:
                            connected.append(stack.enter_context(self.connect()))
                        schemas[route] = connected[0].shape(*route)
                return schemas[route]

            cast = self._cast(ask)
        return None if cast is None else PreparedTrial(replica_of(cast, name), schemas)

    def report(self, done: Conduct, prepared: PreparedTrial) -> TrialResult:
        """Returns the result of the runs of a copy."""
        cast = self._cast(lambda *route: prepared.schemas.get(route))
        if cast is None:
            return TrialResult("untried", ())
        diagnostics = findings(done, cast, prepared.replica)
        return TrialResult(
            outcome_of(done, diagnostics),
            diagnostics,
            without_added_nodes(done.reports, prepared.replica),
            _stood_in_json(cast),
            never_run(done.reports, cast),
        )

    def _cast(self, ask: Callable[..., Mapping[str, Any] | None]) -> Cast | None:
        graph = N8N.reading.read(self.artifact).graph
        if graph is None:
            return None
        resolved, _ = resolve_graph(graph, N8N, self.registry, self.references)
        return cast_of(resolved, self.unready, self.samples, ask)


def tidy(client: N8nClient, book: TrialStore) -> None:
    """Deletes the copies that earlier trials left behind."""
    for left_trial in book.list_leftovers():
        sweep(client, name_of(left_trial.id), left_trial.workflow_id)
        book.entry(left_trial.id).record_end()


def name_of(trial_id: str) -> str:
    """Returns the name of a copy, which no other workflow has."""
    return f"Grounded trial {trial_id}"


def trial_runner(
    store: Store,
    registry: Registry,
    references: ReferenceCatalogs,
    compiling: Compiling = compile_here,
) -> Trying:
    """Returns the function that runs the drafts of a conversation.

    Faults of n8n become advice, as does an artifact that takes too much to prepare.
    """
    settings = store.settings

    def run(compilation: Compilation) -> tuple[Diagnostic, ...]:
        if settings.n8n_url is None or settings.n8n_api_key is None:
            return (_untried_outcome("no n8n is configured"),)
        if compilation.artifact is None:
            return ()
        connect = partial(N8nClient, settings.n8n_url, settings.n8n_api_key)
        unready = incomplete_nodes(compilation)
        subject = ArtifactTrial(compilation.artifact, {}, registry, references, unready, connect)
        with connect() as client:
            book = TrialStore(store.engine, client.url)
            try:
                tidy(client, book)
                result = run_artifact(subject, client, book, compiling)
            except N8nError as error:
                return (_untried_outcome(error.what),)
            except CompileLimitError as error:
                return (_untried_outcome(str(error)),)
        names = [node["node"] for node in result.stood_in]
        extent = extent_finding(result.reports, names) if result.outcome == "passed" else None
        return tuple(
            _without_place(diagnostic, compilation)
            for diagnostic in (*result.diagnostics, *filter(None, (extent,)))
            if diagnostic.rule.stage == "run"
        )

    return run


def incomplete_nodes(compilation: Compilation) -> frozenset[str]:
    """Returns the nodes that lack a value which only a person can supply."""
    return frozenset(
        diagnostic.node
        for diagnostic in compilation.diagnostics
        if diagnostic.rule.kind == "incomplete" and diagnostic.node
    )


def _untried_outcome(why: str) -> Diagnostic:
    message = f"the draft could not be tried: {why}"
    return new_diagnostic(UNCLEAR_RUN, (), message, help="build without a trial, or check n8n")


def _without_place(diagnostic: Diagnostic, compilation: Compilation) -> Diagnostic:
    """Returns a finding about the artifact of a plan without its place, with its node named."""
    return diagnostic if compilation.plan is None else replace(diagnostic, at=())


def trial_json(result: TrialResult) -> dict[str, Any]:
    """Returns the result as the JSON that the command line and HTTP share."""
    return {
        "outcome": result.outcome,
        "diagnostics": [as_json(diagnostic) for diagnostic in result.diagnostics],
        "errors": to_short_form(result.diagnostics),
        "runs": [
            {
                "start": report.start,
                "status": report.status,
                "ran": [asdict(ran) for ran in report.ran],
            }
            for report in result.reports
        ],
        "stood_in": [dict(node) for node in result.stood_in],
        "never_run": list(result.never_run),
    }


def _stood_in_json(cast: Cast) -> tuple[Mapping[str, str], ...]:
    return tuple(
        {"node": name, "why": treatment.why, "sample": cast.samples[name].origin}
        for name, treatment in cast.treatments.items()
        if name in cast.samples
    )
