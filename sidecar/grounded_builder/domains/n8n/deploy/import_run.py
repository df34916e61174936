"""Defines a running import with its options and result, and undoes or restores what it wrote."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.deploy.client import N8nClient, Workflow, diagnose
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.ledger import Ledger, State
from grounded_builder.domains.n8n.deploy.readback_diff import are_equal

ROLLBACK_FAILED = Rule.wrong(
    "N8N512", "rollback-failed", "ImportError", "A failed import could not be rolled back."
)

# A trigger that fails to start holds n8n for about 15 s.
_DELETE_S = 45.0
_POLL_S = 0.2
# What an update writes back; the rest of a workflow is n8n's own.
_OWN = ("name", "nodes", "connections", "settings", "nodeGroups", "staticData", "pinData")
_ALWAYS = ("name", "nodes", "connections", "settings")
_DROPS = {
    "errorWorkflow": "DEFAULT",
    "timezone": "DEFAULT",
    "saveDataErrorExecution": "all",
    "saveDataSuccessExecution": "all",
    "saveManualExecutions": True,
    "saveExecutionProgress": False,
    "executionTimeout": -1,
}


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The caller's options.

    ``workflow_id`` names a workflow to replace; ``patience_s`` bounds the wait for another import
    with the same key, ``grace_s`` the wait for a creation that may still be running in n8n after
    the program that requested it has ended.
    """

    key: str
    publish: bool = False
    workflow_id: str | None = None
    patience_s: float = 60.0
    grace_s: float = 5.0


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why an import stopped; ``workflow_id`` is set when a workflow exists
    nevertheless.
    """

    diagnostics: tuple[Diagnostic, ...]
    workflow_id: str | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """The stored workflow; ``previous`` is the version it replaced.

    ``finished`` is set for an earlier call with this key that ended well: it is not undone.
    """

    stored: Workflow
    previous: Mapping[str, Any] | None = None
    finished: bool = False

    @property
    def kept_settings(self) -> Mapping[str, Any] | None:
        """The settings that an update leaves in place."""
        return None if self.previous is None else self.previous.get("settings")


@dataclass(frozen=True, slots=True)
class Job:
    """A running import; ``sha`` is the artifact's SHA-256."""

    artifact: Mapping[str, Any]
    sha: str
    order: ImportOptions
    client: N8nClient
    ledger: Ledger

    def record_step(self, state: State, stored: Mapping[str, Any]) -> None:
        """Records a step of the import."""
        version = stored.get("versionId")
        self.ledger.record_progress(
            self.order.key,
            state,
            workflow_id=stored["id"],
            version_id=version if isinstance(version, str) else None,
        )

    def undo(self, written: Written, why: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """Deletes the new workflow, or restores the replaced one; returns what could
        not be undone.
        """
        workflow_id = written.stored["id"]
        problem = why[0].message if why else "undone"
        try:
            if written.previous is None:
                discard(self.client, workflow_id)
            else:
                restore(self.client, written.stored, written.previous, self.artifact)
        except N8nError as error:
            self.ledger.record_progress(
                self.order.key, "failed", workflow_id=workflow_id, problem=problem
            )
            return (diagnose(error), _left_behind(self.client, workflow_id))
        self.ledger.record_progress(
            self.order.key, "rolled-back", workflow_id=None, problem=problem
        )
        return ()


def discard(client: N8nClient, workflow_id: str) -> None:
    """Unpublishes and deletes a workflow; n8n 2.x answers 409 until its triggers are gone."""
    deadline = time.monotonic() + _DELETE_S
    asked = False
    while True:
        try:
            client.delete(workflow_id)
        except N8nError as error:
            if error.kind != "conflict" or time.monotonic() > deadline:
                raise
        else:
            return
        if not asked:
            client.deactivate(workflow_id)
            asked = True
        time.sleep(_POLL_S)


def restore(
    client: N8nClient,
    written: Workflow,
    previous: Mapping[str, Any],
    sent: Mapping[str, Any],
) -> None:
    """Restores the previous version, as the draft and as the published version.

    An update merges settings and cannot remove one: added settings are set to the value that n8n
    treats as absent. Static data is written only if the import wrote it, because running triggers
    store their state there.
    """
    body = {key: previous[key] for key in _OWN if key in previous and key in (*_ALWAYS, *sent)}
    now = client.get(written["id"])
    result = previous.get("settings") or {}
    added = (now.get("settings") or {}).keys() - result.keys()
    body["settings"] = {**{key: _DROPS[key] for key in sorted(added & _DROPS.keys())}, **result}
    if any(not are_equal(value, now.get(key)) for key, value in body.items()):
        client.update(written["id"], body)
    was, running = previous.get("activeVersionId"), now.get("activeVersionId")
    if was == running:
        return
    if isinstance(was, str):
        client.activate(written["id"], was)
    else:
        client.deactivate(written["id"])


def _left_behind(client: N8nClient, workflow_id: str) -> Diagnostic:
    message = (
        f"workflow {workflow_id} could not be undone and is still at {client.page_of(workflow_id)}"
    )
    return new_diagnostic(
        ROLLBACK_FAILED,
        (),
        message,
        help="repeat the import with the same key, or remove it in n8n",
    )
