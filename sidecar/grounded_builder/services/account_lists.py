"""Replaces names in a compiled workflow by entries of the account's lists, where n8n may be asked.

n8n is asked with the login of the settings, for nodes whose credential is chosen: the workflow
names one that n8n has, or n8n has exactly one that fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_draft, open_points
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic, sorted_unique, verdict_of
from grounded_builder.domains.n8n.deploy.attach_credentials import WANTS, Attached, attach
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.lists.choose_values import ListChoices, choose_from_lists
from grounded_builder.domains.n8n.lists.findings import (
    ABSENT_COLUMN,
    ENTRY_TO_CHOOSE,
    UNLISTED_NAME,
    UNREAD_LIST,
    report_unread_lists,
)
from grounded_builder.domains.n8n.lists.list_client import ListClient, ListError, Login
from grounded_builder.domains.n8n.lower.default_choices import DEFAULT_CHOICE
from grounded_builder.domains.n8n.parameters.findings import VALUE_TO_CHOOSE, keep_lost_values
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.settings import Settings

# Chooses entries in a compilation that was made with these options.
Choosing = Callable[[Compilation, CompileOptions], Compilation]

# The findings that a finding about the list of the same value replaces.
_REPLACED = (VALUE_TO_CHOOSE, DEFAULT_CHOICE)
_OPEN_ENTRIES = (ENTRY_TO_CHOOSE, ABSENT_COLUMN, UNLISTED_NAME)


@dataclass(frozen=True, slots=True)
class ListSetup:
    """What workflows with chosen entries are compiled with, and the login that reads lists."""

    login: Login
    options: CompileOptions
    registry: Registry
    references: ReferenceCatalogs
    compiling: Compiling = compile_here


def find_login(settings: Settings) -> Login | None:
    """Returns the user of n8n whose lists are read; None unless the settings have one."""
    url, email, password = settings.n8n_url, settings.n8n_email, settings.n8n_password
    return None if url is None or email is None or password is None else Login(url, email, password)


def entry_chooser(
    settings: Settings,
    registry: Registry,
    references: ReferenceCatalogs,
    compiling: Compiling = compile_here,
) -> Choosing | None:
    """Returns the function that chooses entries in artifacts; None where n8n may not be asked."""
    login = find_login(settings)
    if login is None:
        return None

    def choose(compilation: Compilation, options: CompileOptions) -> Compilation:
        return choose_entries(
            compilation, ListSetup(login, options, registry, references, compiling)
        )

    return choose


def list_candidates(compilation: Compilation) -> tuple[Diagnostic, ...]:
    """Returns the findings about lists that name candidates."""
    return tuple(
        item for item in compilation.diagnostics if item.rule in _OPEN_ENTRIES and item.alternatives
    )


def choose_entries(compilation: Compilation, setup: ListSetup) -> Compilation:
    """Returns a compilation with credentials and entries chosen in its artifact.

    Findings that no longer hold are left out. Where n8n gives no lists, this is advice.
    """
    artifact = compilation.artifact
    if artifact is None:
        return compilation
    with ListClient(setup.login) as client:
        try:
            credentials = client.list_credentials()
        except ListError as error:
            advice = report_unread_lists(str(error))
            return _with_diagnostics(compilation, (*compilation.diagnostics, advice))
        setup = replace(setup, options=replace(setup.options, credentials=credentials))
        before = _compile(artifact, setup)
        attached = attach(artifact, before.diagnostics, credentials)
        choices = _choose(attached.artifact, before.diagnostics, setup, client)
    after = _compile(choices.artifact, setup)
    if after.artifact is None:  # what n8n answered would make the workflow wrong
        return compilation
    diagnostics = _merge(compilation, before, after, attached, choices)
    return _with_choices(compilation, choices.artifact, diagnostics, attached, choices)


def _compile(artifact: Mapping[str, Any], setup: ListSetup) -> Compilation:
    facts = (N8N, setup.registry, setup.options, setup.references)
    compilation: Compilation = setup.compiling(partial(compile_draft, artifact, *facts))
    return compilation


def _choose(
    artifact: Mapping[str, Any],
    diagnostics: Iterable[Diagnostic],
    setup: ListSetup,
    client: ListClient,
) -> ListChoices:
    graph = N8N.reading.read(artifact).graph
    if graph is None:
        return ListChoices(artifact)
    resolved, _ = resolve_graph(graph, N8N, setup.registry, setup.references)
    routes = [item.at for item in diagnostics if item.rule in _REPLACED]
    return choose_from_lists(resolved, setup.options.credentials, routes, client)


def _merge(
    compilation: Compilation,
    before: Compilation,
    after: Compilation,
    attached: Attached,
    choices: ListChoices,
) -> tuple[Diagnostic, ...]:
    """Returns the findings of a compilation that still hold, and those of the chosen entries."""
    by_route = {item.at: item for item in after.diagnostics if item.rule in _REPLACED}
    lists = [keep_lost_values(item, by_route.get(item.at)) for item in choices.findings]
    replaced = {item.at for item in lists if item.rule != UNREAD_LIST}
    asked = {(item.at, item.token) for item in attached.questions}
    now = [
        *lists,
        *attached.questions,
        *(
            item
            for item in after.diagnostics
            if not (item.rule in _REPLACED and item.at in replaced)
            and not (item.rule in WANTS and (item.at, item.token) in asked)
        ),
    ]
    known_before, known_now = _keys(before.diagnostics), _keys(now)
    kept = [
        item
        for item in compilation.diagnostics
        if _key(item) not in known_before or _key(item) in known_now
    ]
    kept_keys = _keys(kept)
    # The places are those of the artifact, which is not what the drafter wrote.
    new = [
        replace(item, at=()) if compilation.plan is not None else item
        for item in now
        if _key(item) not in kept_keys
    ]
    return sorted_unique((*kept, *new))


def _key(item: Diagnostic) -> tuple[str, str]:
    return item.code, item.message


def _keys(items: Iterable[Diagnostic]) -> frozenset[tuple[str, str]]:
    return frozenset(map(_key, items))


def _with_choices(
    compilation: Compilation,
    artifact: Mapping[str, Any],
    diagnostics: tuple[Diagnostic, ...],
    attached: Attached,
    choices: ListChoices,
) -> Compilation:
    annotate = N8N.building.annotate
    if annotate is not None:
        artifact = annotate(artifact, open_points(diagnostics))
    notes = (*attached.notes, *choices.notes)
    if compilation.plan is not None:
        notes = tuple(replace(note, at=()) for note in notes)
    chosen = replace(compilation, artifact=artifact, corrections=(*compilation.corrections, *notes))
    return _with_diagnostics(chosen, diagnostics)


def _with_diagnostics(compilation: Compilation, diagnostics: Iterable[Diagnostic]) -> Compilation:
    sorted_ = sorted_unique(diagnostics)
    return replace(compilation, diagnostics=sorted_, verdict=verdict_of(sorted_))
