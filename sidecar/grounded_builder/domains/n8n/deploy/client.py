"""Calls n8n's public API (workflows, runs, credentials) and webhooks, and diagnoses failed calls.

Facts relied on, measured on n8n 2.41.1: a refusal is ``{"message"}`` with status 400, a workflow
that is absent or belongs to another user is 404 on every call, a body over ``N8N_PAYLOAD_SIZE_MAX``
is 413 with a page, ``?name=`` filters the list by LIKE. ``/discover`` is never called: where n8n
runs without its module ``otel``, every execution fails after that call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Self
from urllib.parse import quote

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.deploy.http import (
    DEFAULT_BOUNDS,
    Bounds,
    N8nError,
    Wire,
    object_of,
)
from grounded_builder.ir.options import StoredCredential

UNREACHABLE_INSTANCE = Rule.wrong(
    "N8N501", "unreachable-instance", "ImportError", "n8n did not answer."
)
INVALID_API_KEY = Rule.wrong("N8N502", "invalid-api-key", "ImportError", "n8n refused the API key.")
REFUSED_WORKFLOW = Rule.wrong(
    "N8N503", "refused-workflow", "ImportError", "n8n refused the workflow."
)
FAILED_INSTANCE = Rule.wrong(
    "N8N506", "failed-instance", "ImportError", "n8n answered with a server error."
)

# n8n answers 400 to an update that its database refuses, with the database's own words: errors of
# SQLite's library, and of PostgreSQL (classes 25006, 53100 and 53300).
_DATABASE_FAULT = re.compile(
    r"\bSQLITE_[A-Z_]+:|in a read-only transaction|No space left on device|too many clients"
)

Workflow = dict[str, Any]


class N8nClient:
    """One n8n, by its public API; the address comes from the settings alone.

    Not for several threads at once: create one for each import.
    """

    def __init__(self, url: str, api_key: str, bounds: Bounds | None = None) -> None:
        self.url = url.rstrip("/")
        self._wire = Wire(self.url, api_key, bounds or DEFAULT_BOUNDS)
        self._call = self._wire.call
        self._again = self._wire.call_with_retries
        self._pages = self._wire.pages

    def __enter__(self) -> Self:
        """Returns the client; the ``with`` block closes its connections."""
        return self

    def __exit__(self, *_: object) -> None:
        self._wire.close()

    def page_of(self, workflow_id: str) -> str:
        """Returns the editor's address of a workflow."""
        return f"{self.url}/workflow/{quote(workflow_id, safe='')}"

    def create(self, workflow: Mapping[str, Any]) -> Workflow:
        """Creates an unpublished workflow; never repeated, because a repetition creates a second
        one.
        """
        return _with_id(self._call("POST", "/workflows", workflow), "a new workflow")

    def get(self, workflow_id: str) -> Workflow:
        """Returns the stored draft, with ``activeVersion``."""
        return _with_id(self._again("GET", _at(workflow_id)), f"workflow {workflow_id}")

    def workflows_named(self, name: str) -> Iterator[Workflow]:
        """Returns all workflows of exactly this name."""
        for workflow in self._pages("/workflows", {"name": name, "excludePinnedData": "true"}):
            if workflow.get("name") == name:
                yield workflow

    def update(self, workflow_id: str, workflow: Mapping[str, Any]) -> Workflow:
        """Replaces the draft; the published version stays where n8n has versions (2.x).

        Without ``publishIfActive=false`` n8n publishes at once, and a refusal leaves the new draft
        behind.
        """
        at = _at(workflow_id)
        try:
            answer = self._call("PUT", f"{at}?publishIfActive=false", workflow)
        except N8nError as error:
            if error.kind != "refused" or "publishIfActive" not in error.n8n_message:
                raise
            answer = self._call("PUT", at, workflow)
        return _with_id(answer, f"workflow {workflow_id}")

    def delete(self, workflow_id: str) -> None:
        """Deletes a workflow; one that is already deleted is accepted."""
        try:
            self._again("DELETE", _at(workflow_id))
        except N8nError as error:
            if error.kind != "missing":
                raise

    def activate(self, workflow_id: str, version_id: str | None = None) -> Workflow:
        """Publishes a version, by default the draft; n8n 2.x registers the triggers afterwards."""
        body = {} if version_id is None else {"versionId": version_id}
        at = f"{_at(workflow_id)}/activate"
        return _with_id(self._call("POST", at, body), f"workflow {workflow_id}")

    def deactivate(self, workflow_id: str) -> None:
        """Unpublishes a workflow."""
        self._again("POST", f"{_at(workflow_id)}/deactivate")

    def credentials(self) -> tuple[StoredCredential, ...]:
        """Returns the credentials of the instance, without their secrets."""
        return tuple(
            StoredCredential(str(page["id"]), str(page["name"]), str(page["type"]))
            for page in self._pages("/credentials", {})
            if {"id", "name", "type"} <= page.keys()
        )

    def executions(self, workflow_id: str) -> list[Workflow]:
        """Returns the ended runs of a workflow, newest first, with their data.

        n8n omits data that is larger than its editor shows.
        """
        asked = f"workflowId={quote(workflow_id, safe='')}&includeData=true&limit=10"
        ended = self._again("GET", f"/executions?{asked}").get("data")
        return (
            [execution for execution in ended if isinstance(execution, dict)]
            if isinstance(ended, list)
            else []
        )

    def list_unfinished_runs(self, workflow_id: str) -> list[str]:
        """Returns the ids of the unfinished runs of a workflow."""
        asked = f"workflowId={quote(workflow_id, safe='')}&status=running&limit=10"
        listed = self._again("GET", f"/executions?{asked}").get("data")
        runs = listed if isinstance(listed, list) else []
        return [str(run["id"]) for run in runs if isinstance(run, dict) and run.get("id")]

    def stop(self, execution_id: str) -> None:
        """Stops a run; one that has ended is accepted."""
        try:
            self._call("POST", f"/executions/{quote(execution_id, safe='')}/stop", {})
        except N8nError as error:
            if error.kind not in ("missing", "conflict", "refused"):
                raise

    def begin(self, path: str) -> int:
        """Calls a webhook with GET, without the key; returns the HTTP status of its answer."""
        return self._wire.plain(f"/webhook/{quote(path, safe='/')}")[0]

    def shape(self, *route: str) -> Workflow | None:
        """Returns the JSON schema of a node's output, where n8n has one for this type
        and version.
        """
        where = "/".join(quote(part, safe="") for part in route)
        status, content = self._wire.plain(f"/schemas/{where}.json")
        return object_of(content) if status == HTTPStatus.OK else None

    def webhook_methods(self, path: str) -> frozenset[str]:
        """Returns the methods registered on a webhook path; asking starts nothing.

        OPTIONS with an Origin is answered from the register of webhooks.
        """
        allowed = self._wire.allowed_methods(f"/webhook/{quote(path, safe='/')}")
        return frozenset(allowed - {"", "OPTIONS"})


def diagnose(error: N8nError) -> Diagnostic:
    """Returns the diagnostic of a failure of the instance, with the setting to check."""
    if error.kind in ("unreachable", "slow"):
        hint = "start n8n, or correct GROUNDED_N8N_URL"
        return new_diagnostic(UNREACHABLE_INSTANCE, (), error.what, help=hint)
    if error.kind == "invalid-api-key":
        scopes = "the workflow, credential and execution scopes"
        hint = f"create a key in n8n with {scopes}, and set GROUNDED_N8N_API_KEY"
        return new_diagnostic(INVALID_API_KEY, (), error.what, help=hint)
    if error.kind == "refused" and _DATABASE_FAULT.search(error.what):
        hint = "make n8n's database writable, then repeat the import"
        return new_diagnostic(FAILED_INSTANCE, (), error.what, help=hint)
    if error.kind in ("refused", "conflict", "missing"):
        return new_diagnostic(
            REFUSED_WORKFLOW, (), error.what, help="correct the fault that n8n names"
        )
    hint = "read n8n's log, and check that GROUNDED_N8N_URL is the address of n8n itself"
    return new_diagnostic(FAILED_INSTANCE, (), error.what, help=hint)


def _at(workflow_id: str) -> str:
    return f"/workflows/{quote(workflow_id, safe='')}"


def _with_id(workflow: Workflow, subject: str) -> Workflow:
    if not isinstance(workflow.get("id"), str) or not workflow["id"]:
        raise N8nError("garbled", f"n8n's answer for {subject} has no id in it")
    return workflow
