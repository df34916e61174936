"""Imports an artifact into n8n: writes, reads back, compares, publishes, undoes on failure.

How an interrupted import is found again: the bytes that the receipt signs are the bytes that are
sent, so the marker must be in the artifact and unchanged by n8n. n8n 2.41 refuses ``meta``,
``tags`` and ``description`` at creation, stores ``staticData`` only until the first run, and shows
the name to people; it stores and returns the ids of nodes unchanged. They are UUIDv5 of key and
name where the draft has none. A copy of an exported workflow has the ids of its original, so
workflows that look the same are recorded in the ledger before anything is sent: one that appears
afterwards belongs to the import.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from grounded_builder.compiler.pipeline import open_points
from grounded_builder.compiler.receipt import Receipt, artifact_hash
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.deploy import replace as replacement
from grounded_builder.domains.n8n.deploy.admission import Admission
from grounded_builder.domains.n8n.deploy.client import N8nClient, Workflow, diagnose
from grounded_builder.domains.n8n.deploy.create import create
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import Fault, ImportOptions, Job, Written
from grounded_builder.domains.n8n.deploy.ledger import Entry, Ledger
from grounded_builder.domains.n8n.deploy.publish import Published, is_published, publish
from grounded_builder.domains.n8n.deploy.readback_diff import differences, stored_differently

LEFT_UNPUBLISHED = Rule.advice(
    "N8N509", "left-unpublished", "ImportError", "The workflow is imported, but not published."
)
IMPORT_IN_PROGRESS = Rule.wrong(
    "N8N510", "import-in-progress", "ImportError", "The same import is still running."
)
NOT_LIVE = Rule.advice(
    "N8N513", "not-live", "ImportError", "The workflow is published, but its triggers do not run."
)

_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import; a failed or refused one left nothing behind, or reports it.

    ``published`` is true where n8n runs the imported version, ``live`` where its triggers run;
    ``todo`` is what a person has to supply.
    """

    outcome: Literal["imported", "refused", "failed"]
    key: str
    workflow_id: str | None = None
    url: str | None = None
    published: bool = False
    live: bool | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    todo: tuple[str, ...] = ()
    receipt: Receipt | None = None


def import_workflow(
    admission: Admission, client: N8nClient, ledger: Ledger, order: ImportOptions
) -> ImportResult:
    """Imports an admitted artifact; calls with the same key create at most one workflow."""
    if admission.artifact is None:
        return ImportResult("refused", order.key, diagnostics=admission.diagnostics)
    artifact = admission.artifact
    sha = artifact_hash(artifact)
    entry = _claim(ledger, order, sha)
    if entry is None:
        return ImportResult("refused", order.key, diagnostics=(_report_running_import(order),))
    job = Job(artifact, sha, order, client, ledger)
    try:
        return _import(job, entry, admission)
    except N8nError as error:
        return _fail(job, Fault((diagnose(error),)), admission)
    finally:
        ledger.release(order.key)


def _claim(ledger: Ledger, order: ImportOptions, sha: str) -> Entry | None:
    """Returns the row of this key, after waiting for another holder."""
    deadline = time.monotonic() + order.patience_s
    while True:
        entry = ledger.claim(order.key, sha, order.workflow_id)
        if entry is not None or time.monotonic() > deadline:
            return entry
        time.sleep(_POLL_S)


def _import(job: Job, entry: Entry, admission: Admission) -> ImportResult:
    step = replacement.replace if job.order.workflow_id else create
    written = step(job, entry)
    if isinstance(written, Fault):
        return _fail(job, written, admission)
    stored: Workflow = written.stored
    unequal = differences(job.artifact, stored, written.kept_settings)
    if unequal:
        return _fail(job, _undo(job, written, (stored_differently(unequal),)), admission)
    job.record_step("read-back", stored)
    incomplete = tuple(d for d in admission.diagnostics if d.rule.kind == "incomplete")
    if not job.order.publish or is_published(stored):
        return _return_success(job, Published(stored, None), admission)
    if incomplete:
        return _return_success(
            job, Published(stored, None), admission, (_unpublished_finding(incomplete),)
        )
    value = _publish(job, written)
    if isinstance(value, Published):
        job.record_step("published", value.stored)
        return _return_success(
            job, value, admission, () if value.live is not False else (_not_live(),)
        )
    return _fail(job, _undo(job, written, value), admission)


def _publish(job: Job, written: Written) -> Published | tuple[Diagnostic, ...]:
    """Publishes; a call without an answer counts as a refusal, because it is undone."""
    try:
        return publish(job.client, written.stored, job.artifact)
    except N8nError as error:
        return (diagnose(error),)


def _undo(job: Job, written: Written, why: tuple[Diagnostic, ...]) -> Fault:
    """Reverts the writes of this call; a workflow finished by an earlier call stays."""
    if written.finished:
        return Fault(why, written.stored["id"])
    left = job.undo(written, why)
    return Fault((*why, *left), written.stored["id"] if left else None)


def _return_success(
    job: Job, now: Published, admission: Admission, more: tuple[Diagnostic, ...] = ()
) -> ImportResult:
    workflow_id = now.stored["id"]
    return ImportResult(
        "imported",
        job.order.key,
        workflow_id=workflow_id,
        url=job.client.page_of(workflow_id),
        published=is_published(now.stored),
        live=now.live,
        diagnostics=(*admission.diagnostics, *more),
        todo=tuple(open_points(admission.diagnostics)),
        receipt=admission.receipt,
    )


def _fail(job: Job, fault: Fault, admission: Admission) -> ImportResult:
    workflow_id = fault.workflow_id
    return ImportResult(
        "failed",
        job.order.key,
        workflow_id=workflow_id,
        url=None if workflow_id is None else job.client.page_of(workflow_id),
        diagnostics=(*admission.diagnostics, *fault.diagnostics),
        todo=tuple(open_points(admission.diagnostics)),
        receipt=admission.receipt,
    )


def _unpublished_finding(missing: tuple[Diagnostic, ...]) -> Diagnostic:
    things = f"{len(missing)} things are" if len(missing) > 1 else "1 thing is"
    message = f"the workflow is imported but not published: {things} missing"
    return new_diagnostic(
        LEFT_UNPUBLISHED, (), message, help="supply what the to-do list names, then publish"
    )


def _not_live() -> Diagnostic:
    message = "n8n published the workflow, but its triggers do not run yet"
    return new_diagnostic(
        NOT_LIVE, (), message, help="read n8n's log for a trigger that does not start"
    )


def _report_running_import(order: ImportOptions) -> Diagnostic:
    message = f'an import with the key "{order.key}" runs and did not end in {order.patience_s:g} s'
    return new_diagnostic(IMPORT_IN_PROGRESS, (), message, help="wait, then repeat the call")
