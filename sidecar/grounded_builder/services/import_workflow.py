"""Runs an import for the CLI or the server: compiles, checks against n8n, imports, records."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.approval import list_approved
from grounded_builder.compiler.name_stats import occurrences_of
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.receipt import FOREIGN_RECEIPT
from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.diagnostics.finding_json import as_json, to_short_form
from grounded_builder.domains.n8n.deploy.admission import (
    Admission,
    Guard,
    admit_artifact,
    admit_changed,
    admit_draft,
    key_of,
)
from grounded_builder.domains.n8n.deploy.client import UNREACHABLE_INSTANCE, N8nClient, diagnose
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import ImportOptions
from grounded_builder.domains.n8n.deploy.import_workflow import ImportResult, import_workflow
from grounded_builder.ir.options import CompileOptions, StoredCredential
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.account_lists import ListSetup, choose_entries, find_login
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.imports import ImportLedger
from grounded_builder.storage.name_stats import NameStatsStore
from grounded_builder.storage.store import Store


@dataclass(frozen=True, slots=True)
class WorkflowImport:
    """One import: an artifact with its ``receipt`` where ``signed``, otherwise a draft.

    Without a ``key``, equal content is the same import. ``workflow_id`` names a workflow to
    replace. ``approvals`` are the findings that a person has approved, each as CODE/NODE@DIGEST.
    With ``lists`` names are looked up in the account's lists, where the settings have a login.
    ``size`` is the length of outside content in bytes.
    """

    content: Any
    receipt: Any = None
    signed: bool = False
    key: str = ""
    publish: bool = False
    workflow_id: str | None = None
    patience_s: float = 60.0
    approvals: tuple[str, ...] = ()
    lists: bool = True
    size: int = 0


def run_import(
    request: WorkflowImport,
    store: Store,
    registry: Registry,
    references: ReferenceCatalogs,
    compiling: Compiling = compile_here,
) -> ImportResult:
    """Runs an import and returns its result in bounded time, for any content and any
    state of n8n.
    """
    result = _perform_import(request, store, registry, references, compiling)
    met = occurrences_of(result.diagnostics, registry, request.content)
    with suppress(StorageError):
        # A failure to count does not undo the import.
        NameStatsStore(store.engine, "n8n").add(met)
    return result


def _perform_import(
    request: WorkflowImport,
    store: Store,
    registry: Registry,
    references: ReferenceCatalogs,
    compiling: Compiling,
) -> ImportResult:
    settings, secrets = store.settings, store.secrets()
    key = request.key or key_of(request.content, request.workflow_id)
    options = CompileOptions(
        purpose="publish" if request.publish else "import",
        policy=settings.policy,
        limits=settings.limits,
        seed=key,
        path_secret=secrets.path_secret,
        approvals=request.approvals,
    )
    guard = Guard(
        registry,
        options,
        secrets.signer,
        secrets.instance,
        settings.receipt_seconds,
        references,
        store.policy_hashes(),
    )
    if settings.n8n_url is None or settings.n8n_api_key is None:
        name = "GROUNDED_N8N_URL" if settings.n8n_url is None else "GROUNDED_N8N_API_KEY"
        message = f"no n8n to import into: {name} is not set"
        missing = new_diagnostic(UNREACHABLE_INSTANCE, (), message, help=f"set {name}")
        return ImportResult("failed", key, diagnostics=(missing,))
    with N8nClient(settings.n8n_url, settings.n8n_api_key) as client:
        try:
            credentials = _list_credentials(client)
        except N8nError as error:
            # The content is judged even without n8n.
            admission = compiling(partial(_admit, request, guard), request.size)
            diagnostics = (*admission.diagnostics, diagnose(error))
            return ImportResult(
                "refused" if admission.artifact is None else "failed", key, diagnostics=diagnostics
            )
        guard = replace(guard, options=replace(options, credentials=credentials))
        admission = compiling(partial(_admit, request, guard), request.size)
        if request.lists:
            admission = _choose_entries(admission, guard, store, compiling)
        ledger = ImportLedger(store.engine, client.url)
        order = ImportOptions(key, request.publish, request.workflow_id, request.patience_s)
        result = import_workflow(admission, client, ledger, order)
        approvals = list_approved(result.diagnostics)
        if approvals and result.outcome == "imported":
            ledger.approve(key, approvals)
        return result


def result_json(result: ImportResult) -> dict[str, Any]:
    """Returns the result as the JSON that the command line and HTTP share."""
    return {
        "outcome": result.outcome,
        "key": result.key,
        "workflow_id": result.workflow_id,
        "url": result.url,
        "published": result.published,
        "live": result.live,
        "diagnostics": [as_json(diagnostic) for diagnostic in result.diagnostics],
        "errors": to_short_form(result.diagnostics),
        "todo": list(result.todo),
        "receipt": result.receipt,
    }


def _admit(request: WorkflowImport, guard: Guard) -> Admission:
    if not request.signed:
        return admit_draft(request.content, guard, now=time.time())
    content = request.content
    if not isinstance(content, Mapping) or not isinstance(content.get("nodes"), list):
        message = 'the content is not an artifact: it has no list of "nodes"'
        wrong = new_diagnostic(
            FOREIGN_RECEIPT, (), message, help="send the artifact that the receipt came with"
        )
        return Admission(None, None, "wrong", (wrong,))
    return admit_artifact(content, request.receipt, guard, now=time.time())


def _choose_entries(
    admission: Admission, guard: Guard, store: Store, compiling: Compiling
) -> Admission:
    """Returns an admission with entries chosen from the account's lists, where n8n may be asked."""
    login = find_login(store.settings)
    if login is None or admission.artifact is None:
        return admission
    catalog = guard.registry.fingerprint
    compilation = Compilation(
        admission.verdict, admission.diagnostics, None, admission.artifact, catalog
    )
    setup = ListSetup(login, guard.options, guard.registry, guard.references, compiling)
    chosen = choose_entries(compilation, setup)
    return admit_changed(chosen, admission, guard, now=time.time())


def _list_credentials(client: N8nClient) -> tuple[StoredCredential, ...] | None:
    """Returns the credentials of the instance; None when the key or this n8n release cannot list
    them.
    """
    try:
        return client.credentials()
    except N8nError as error:
        if error.status in (403, 404, 405):
            return None
        raise
