"""Runs a trial copy in n8n for each trigger, reads the results, and deletes all its remains."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.deploy.client import N8nClient, diagnose
from grounded_builder.domains.n8n.deploy.http import N8nError
from grounded_builder.domains.n8n.deploy.import_run import discard
from grounded_builder.domains.n8n.deploy.publish import refusal
from grounded_builder.domains.n8n.trial.execution_result import Report, report
from grounded_builder.domains.n8n.trial.sandbox_copy import RUN_S, SandboxCopy, Start

UNCLEAR_RUN = Rule.advice("N8N604", "unclear-run", "ExecutionError", "A trial run gave no result.")
TRIAL_COPY_NOT_DELETED = Rule.advice(
    "N8N605", "trial-copy-not-deleted", "ExecutionError", "A trial's copy could not be deleted."
)

_LIVE_S = 10.0
_SLACK_S = 10.0
_AGAIN_S = 1.0
_POLL_S = 0.05
_SLOWEST_POLL_S = 0.5
# Failures after which n8n has certainly stored nothing.
_NOTHING_MADE = ("refused", "invalid-api-key", "missing", "conflict")
_ENDED = frozenset({"success", "error", "crashed", "canceled", "failed"})


class Log(Protocol):
    """The record of one trial."""

    def record_copy(self, workflow_id: str) -> None:
        """Records the copy."""

    def record_end(self) -> None:
        """Records that nothing is left in n8n."""


@dataclass(frozen=True, slots=True)
class Conduct:
    """The result of a copy; ``trouble`` is why it could not be run, or not be deleted."""

    reports: tuple[Report, ...]
    trouble: tuple[Diagnostic, ...] = ()
    refusals: tuple[Diagnostic, ...] = ()


def conduct(client: N8nClient, replica: SandboxCopy, log: Log) -> Conduct:
    """Creates, publishes, calls and reads the copy, and deletes it afterwards in every case."""
    try:
        made = client.create(replica.workflow)
    except N8nError as error:
        return Conduct((), (diagnose(error), *_remove_unconfirmed(client, replica, error, log)))
    try:
        log.record_copy(made["id"])
        done = _conduct_copy(client, made["id"], replica)
    except N8nError as error:
        done = Conduct((), (diagnose(error),))
    finally:
        left = _remove(client, made["id"], str(replica.workflow["name"]))
        if not left:
            log.record_end()
    return Conduct(done.reports, (*done.trouble, *left), done.refusals)


def sweep(client: N8nClient, name: str, workflow_id: str | None) -> None:
    """Deletes the remains of a trial: the workflows of its name, which no other has."""
    for workflow in client.workflows_named(name):
        discard(client, workflow["id"])
    if workflow_id is not None:
        with suppress(N8nError):
            if client.get(workflow_id).get("name") == name:
                discard(client, workflow_id)


def _conduct_copy(client: N8nClient, workflow_id: str, replica: SandboxCopy) -> Conduct:
    try:
        _activate(client, workflow_id)
    except N8nError as error:
        if error.kind not in ("refused", "conflict"):
            raise
        return Conduct((), (), refusal(error, replica.workflow))
    if not _wait_for_webhooks(client, replica.starts):
        message = f"n8n published the copy, but its webhooks do not answer at {client.url}"
        hint = "where n8n serves webhooks under another address, no trial can be run"
        return Conduct((), (new_diagnostic(UNCLEAR_RUN, (), message, help=hint),))
    seen: set[str] = set()
    return Conduct(tuple(_run(client, workflow_id, start, seen) for start in replica.starts))


def _activate(client: N8nClient, workflow_id: str) -> None:
    """Publishes; once more where n8n is too busy, which does no harm to a copy."""
    try:
        client.activate(workflow_id)
    except N8nError as error:
        if error.kind != "failed":
            raise
        time.sleep(_AGAIN_S)
        client.activate(workflow_id)


def _wait_for_webhooks(client: N8nClient, starts: tuple[Start, ...]) -> bool:
    deadline = time.monotonic() + _LIVE_S
    waiting = [start.path for start in starts]
    while waiting:
        waiting = [path for path in waiting if "GET" not in client.webhook_methods(path)]
        if waiting and time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S if waiting else 0)
    return True


def _run(client: N8nClient, workflow_id: str, start: Start, seen: set[str]) -> Report:
    """Runs one trigger to its end; a run that takes too long is stopped."""
    deadline = time.monotonic() + RUN_S + _SLACK_S
    # The answer of a webhook may arrive late: the run is read instead.
    with suppress(N8nError):
        client.begin(start.path)
    pause, is_stopped = _POLL_S, False
    while True:
        for execution in _finished_executions(client.executions(workflow_id)):
            if execution["id"] not in seen:
                seen.add(execution["id"])
                return report(start.node, execution)
        if time.monotonic() > deadline:
            if is_stopped:
                return Report(start.node, "stopped", ())
            for running in client.list_unfinished_runs(workflow_id):
                client.stop(running)
            is_stopped, deadline = True, time.monotonic() + _SLACK_S
        time.sleep(pause)
        pause = min(pause * 1.5, _SLOWEST_POLL_S)


def _finished_executions(executions: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for execution in executions:
        if execution.get("status") in _ENDED and isinstance(execution.get("id"), str):
            yield execution


def _remove(client: N8nClient, workflow_id: str, name: str) -> tuple[Diagnostic, ...]:
    try:
        discard(client, workflow_id)
    except N8nError as error:
        return (diagnose(error), _report_leftover(name, f" at {client.page_of(workflow_id)}"))
    return ()


def _remove_unconfirmed(
    client: N8nClient, replica: SandboxCopy, error: N8nError, log: Log
) -> tuple[Diagnostic, ...]:
    """Removes a copy that may exist after a creation without a clear answer."""
    name = str(replica.workflow["name"])
    if error.kind not in _NOTHING_MADE:
        try:
            sweep(client, name, None)
        except N8nError:
            return () if error.kind == "unreachable" else (_report_leftover(name, ""),)
    if error.kind != "unreachable":
        log.record_end()
    return ()


def _report_leftover(name: str, where: str) -> Diagnostic:
    message = f'the copy "{name}" could not be deleted and may still be there{where}'
    return new_diagnostic(
        TRIAL_COPY_NOT_DELETED, (), message, help="the next trial deletes it; or delete it in n8n"
    )
