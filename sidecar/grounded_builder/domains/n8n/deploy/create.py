"""Creates a workflow in n8n once per key; finds one that an interrupted call created."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.deploy.client import N8nClient, Workflow, diagnose
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import Fault, Job, Written, discard
from grounded_builder.domains.n8n.deploy.ledger import Entry, State
from grounded_builder.domains.n8n.deploy.readback_diff import differences

EDIT_CONFLICT = Rule.wrong(
    "N8N508", "edit-conflict", "ImportError", "The workflow was changed by somebody else."
)
REUSED_KEY = Rule.wrong(
    "N8N511", "reused-key", "ImportError", "The import key was used for another import."
)

_POLL_S = 0.25
# Failures after which n8n has certainly stored nothing.
_NOTHING_MADE = ("refused", "invalid-api-key", "missing", "conflict")


def create(job: Job, entry: Entry) -> Written | Fault:
    """Creates the workflow, or finds the one that an earlier call with this key has created."""
    finished = _is_finished(entry)
    if entry.state in ("failed", "rolled-back"):
        entry = _restart(job, entry)
    elif entry.target is not None or (finished and entry.artifact != job.sha):
        return Fault((_reused_key(job, entry),), entry.workflow_id)
    elif entry.artifact != job.sha:
        # Unfinished, and the bytes have changed: its remains are removed, then it starts again.
        entry = _restart(job, entry)
    if entry.workflow_id is not None:
        there = _get_existing(job.client, entry.workflow_id)
        if there is not None:
            return _resume(job, there, finished=finished)
        entry = job.ledger.restart(job.order.key, job.sha, None)
    if entry.earlier is None:
        earlier = tuple(alike["id"] for alike in _alike(job))
        entry = job.ledger.before(job.order.key, earlier, None)
    else:
        found_again = _find_created(job, entry)
        if found_again is not None:
            job.record_step("created", found_again)
            return Written(job.client.get(found_again["id"]))
    return _create_new(job, entry)


def _create_new(job: Job, entry: Entry) -> Written | Fault:
    try:
        made = job.client.create(job.artifact)
    except N8nError as error:
        return Fault((diagnose(error), *_remove_unconfirmed(job, entry, error)))
    try:
        job.record_step("created", made)
    except Exception:
        # The ledger did not record it.
        _discard_double(job, made)
        raise
    return _read_back(job, made)


def _discard_double(job: Job, made: Workflow) -> None:
    """Removes the new workflow where the process that took over the import has created it too."""
    entry = job.ledger.entry(job.order.key)
    if entry is not None and entry.workflow_id not in (None, made["id"]):
        discard(job.client, made["id"])


def _read_back(job: Job, made: Workflow) -> Written | Fault:
    try:
        return Written(job.client.get(made["id"]))
    except N8nError as error:
        why = (diagnose(error),)
        left = job.undo(Written(made), why)
        return Fault((*why, *left), made["id"] if left else None)


def _resume(job: Job, there: Workflow, *, finished: bool) -> Written | Fault:
    """Continues with an existing workflow; one that a person has changed since is not touched."""
    if finished and differences(job.artifact, there):
        return Fault((_changed_since(there),), there["id"])
    return Written(there, finished=finished)


def _remove_unconfirmed(job: Job, entry: Entry, error: N8nError) -> tuple[Diagnostic, ...]:
    """Removes a workflow created by a call without a clear answer, if n8n shows it already.

    While n8n is still creating it, nothing is shown: the row stays begun, and the next call with
    this key finds it.
    """
    key = job.order.key
    if error.kind in _NOTHING_MADE:
        job.ledger.record_progress(key, "failed", workflow_id=None, problem=error.what)
        return ()
    state: State = "started"
    with suppress(N8nError):
        ours = _ours(job, entry)
        for workflow in ours:
            discard(job.client, workflow["id"])
        state = "rolled-back" if ours else state
    job.ledger.record_progress(key, state, workflow_id=None, problem=error.what)
    return ()


def _find_created(job: Job, entry: Entry) -> Workflow | None:
    """Returns the workflow created by a call that never ended, waiting while it may still appear.

    The wait uses the monotonic clock: a wall clock that was set meanwhile would make it too short
    or endless.
    """
    deadline = time.monotonic() + job.order.grace_s
    while True:
        ours = _ours(job, entry)
        if ours:
            return ours[0]
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL_S)


def _ours(job: Job, entry: Entry) -> list[Workflow]:
    """Returns workflows like the artifact that are new and belong to no other import,
    oldest first.
    """
    taken = {*(entry.earlier or ()), *job.ledger.others(job.order.key)}
    ours = [alike for alike in _alike(job) if alike["id"] not in taken]
    return sorted(ours, key=lambda workflow: (str(workflow.get("createdAt")), workflow["id"]))


def _alike(job: Job) -> list[Workflow]:
    """Returns the workflows with the artifact's name and exactly its node ids."""
    ids = _node_ids(job.artifact)
    named = job.client.workflows_named(str(job.artifact.get("name", "")))
    return [
        workflow
        for workflow in named
        if isinstance(workflow.get("id"), str) and _node_ids(workflow) == ids
    ]


def _node_ids(workflow: Mapping[str, Any]) -> frozenset[str]:
    nodes = workflow.get("nodes")
    listed = nodes if isinstance(nodes, list) else []
    return frozenset(str(node.get("id")) for node in listed if isinstance(node, dict))


def _restart(job: Job, entry: Entry) -> Entry:
    """Removes the remains of an attempt, then restarts its row."""
    if entry.target is None and entry.workflow_id is not None:
        discard(job.client, entry.workflow_id)
    elif entry.target is None and entry.state == "started" and entry.earlier is not None:
        for workflow in _ours(job, entry):
            discard(job.client, workflow["id"])
    return job.ledger.restart(job.order.key, job.sha, None)


def _is_finished(entry: Entry) -> bool:
    ended = entry.state in ("read-back", "published")
    return ended and not entry.is_interrupted and entry.problem is None


def _get_existing(client: N8nClient, workflow_id: str) -> Workflow | None:
    try:
        return client.get(workflow_id)
    except N8nError as error:
        if error.kind == "missing":
            return None
        raise


def _changed_since(there: Workflow) -> Diagnostic:
    message = f'workflow "{there.get("name")}" ({there["id"]}) was changed in n8n since its import'
    hint = "name it as the workflow to replace, or import with another key to create a second one"
    return new_diagnostic(EDIT_CONFLICT, (), message, help=hint)


def _reused_key(job: Job, entry: Entry) -> Diagnostic:
    made = f", which made workflow {entry.workflow_id}" if entry.workflow_id else ""
    message = f'the key "{job.order.key}" belongs to another import{made}'
    return new_diagnostic(REUSED_KEY, (), message, help="use a new key for a new import")
