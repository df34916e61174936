"""Replaces a workflow in n8n with an artifact, and records its previous version for a restore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.deploy.client import Workflow, diagnose
from grounded_builder.domains.n8n.deploy.create import EDIT_CONFLICT, REUSED_KEY
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import Fault, Job, Written
from grounded_builder.domains.n8n.deploy.ledger import Entry
from grounded_builder.domains.n8n.deploy.readback_diff import differences

_KEPT = (
    "id",
    "name",
    "nodes",
    "connections",
    "settings",
    "nodeGroups",
    "staticData",
    "pinData",
    "active",
    "activeVersionId",
    "versionId",
)


def replace(job: Job, entry: Entry) -> Written | Fault:
    """Writes the artifact over a workflow's draft; the published version runs until it
    is replaced.
    """
    target = job.order.workflow_id or ""
    if entry.target != target and entry.state not in ("failed", "rolled-back"):
        return Fault((_reused_key(job),), entry.workflow_id)
    try:
        current = job.client.get(target)
    except N8nError as error:
        return Fault((diagnose(error),))
    previous = entry.previous
    ended = entry.state != "started" and not entry.is_interrupted
    if previous is None or ended or entry.artifact != job.sha or entry.target != target:
        job.ledger.restart(job.order.key, job.sha, target)
        previous = _copy(current)
        job.ledger.before(job.order.key, (), previous)
    elif not differences(job.artifact, current, previous.get("settings")):
        job.record_step("created", current)
        return Written(current, previous)
    elif current.get("versionId") != previous.get("versionId"):
        return Fault((_changed_finding(current),), target)
    return _write(job, target, previous)


def _write(job: Job, target: str, previous: Mapping[str, Any]) -> Written | Fault:
    """Writes and reads back: n8n may store a draft although it answers with a refusal."""
    try:
        job.client.update(target, job.artifact)
        stored = job.client.get(target)
    except N8nError as error:
        return _restore_previous(job, previous, diagnose(error))
    job.record_step("created", stored)
    return Written(stored, previous)


def _restore_previous(job: Job, previous: Mapping[str, Any], why: Diagnostic) -> Fault:
    left = job.undo(Written(dict(previous), previous), (why,))
    return Fault((why, *left), str(previous["id"]))


def _copy(current: Workflow) -> dict[str, Any]:
    return {key: current[key] for key in _KEPT if key in current}


def _changed_finding(current: Workflow) -> Diagnostic:
    message = (
        f'workflow "{current.get("name")}" ({current["id"]}) was changed while it was replaced'
    )
    return new_diagnostic(
        EDIT_CONFLICT, (), message, help="review it in n8n, then repeat with another key"
    )


def _reused_key(job: Job) -> Diagnostic:
    message = f'the key "{job.order.key}" belongs to another import'
    return new_diagnostic(REUSED_KEY, (), message, help="use a new key for a new import")
