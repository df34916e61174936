"""Controls the n8n of rehearsals by the HTTP routes of its editor, over a Unix socket.

The routes are n8n's own and undocumented; they are those of 2.41, and every failure names the call.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2

_TIMEOUT_S = 30.0
# The record of a run has all items of all nodes, which a workflow can make as large as it likes.
_MAX_ANSWER_BYTES = 50_000_000
_SHOWN = 500
_EMAIL = "owner@rehearsal.test"


class EditorError(Exception):
    """n8n refused a call, or did not answer; ``text`` is its answer."""

    def __init__(self, call: str, text: str, status: int = 0) -> None:
        super().__init__(f"{call}: {text}")
        self.text = text
        self.status = status

    @property
    def is_silence(self) -> bool:
        """Whether n8n did not answer at all."""
        return self.status == 0


class EditorClient:
    """A session of the owner with the n8n behind a Unix socket."""

    def __init__(self, door: Path, password: str) -> None:
        self._password = password
        transport = httpx2.HTTPTransport(uds=str(door))
        self._http = httpx2.Client(
            transport=transport, base_url="http://127.0.0.1", timeout=_TIMEOUT_S
        )

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def log_in(self) -> None:
        """Logs in as the owner, and makes the owner of an n8n that has none."""
        names = {"firstName": "Rehearsal", "lastName": "Owner"}
        settings = self._call("GET", "/rest/settings")
        if settings["userManagement"]["showSetupOnFirstLoad"]:
            body = {"email": _EMAIL, "password": self._password, **names}
            self._call("POST", "/rest/owner/setup", body)
        else:
            body = {"emailOrLdapLoginId": _EMAIL, "password": self._password}
            self._call("POST", "/rest/login", body)

    def list_credential_types(self) -> Sequence[Mapping[str, Any]]:
        """Returns the installed credential types as n8n gives them to its editor."""
        types = self._call("GET", "/types/credentials.json")
        return types if isinstance(types, list) else []

    def create_credential(self, kind: str, name: str, values: Mapping[str, Any]) -> str:
        """Creates a credential and returns its id."""
        body = {"name": name, "type": kind, "data": dict(values)}
        return str(self._call("POST", "/rest/credentials", body)["id"])

    def create_workflow(self, workflow: Mapping[str, Any]) -> Mapping[str, Any]:
        """Creates a workflow and returns it with its id."""
        made: Mapping[str, Any] = self._call("POST", "/rest/workflows", workflow)
        return made

    def create_data_table(self, name: str, columns: Sequence[Mapping[str, str]]) -> str:
        """Creates a data table of the owner's project and returns its id."""
        body = {"name": name, "columns": list(columns)}
        return str(self._call("POST", self._tables, body)["id"])

    def insert_rows(self, table_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Inserts rows into a data table."""
        body = {"data": list(rows), "returnType": "count"}
        self._call("POST", f"{self._tables}/{table_id}/insert", body)

    def delete_data_tables(self) -> None:
        """Deletes every data table, also those that workflows made."""
        for table in self._call("GET", f"{self._tables}?take=100")["data"]:
            self._call("DELETE", f"{self._tables}/{table['id']}")

    @cached_property
    def _tables(self) -> str:
        """The route of the data tables of the owner's project."""
        project = self._call("GET", "/rest/projects/personal")["id"]
        return f"/rest/projects/{project}/data-tables"

    def delete_workflow(self, workflow_id: str) -> None:
        """Archives and deletes a workflow."""
        self._call("POST", f"/rest/workflows/{workflow_id}/archive")
        self._call("DELETE", f"/rest/workflows/{workflow_id}")

    def publish(self, workflow: Mapping[str, Any]) -> None:
        """Publishes a workflow as it was created, so that its triggers listen."""
        body = {"versionId": workflow["versionId"], "name": "", "description": ""}
        self._call("POST", f"/rest/workflows/{workflow['id']}/activate", body)

    def list_executions(self, workflow_id: str, most: int = 5) -> Sequence[Mapping[str, Any]]:
        """Returns the newest executions of a workflow, the newest first, without their data."""
        asked = quote(json.dumps({"workflowId": workflow_id}))
        listed = self._call("GET", f"/rest/executions?filter={asked}&limit={most}")["results"]
        return listed if isinstance(listed, list) else []

    def start(self, workflow_id: str, trigger: str) -> str:
        """Starts a manual run from a trigger, and returns the id of the execution."""
        body = {"triggerToStartFrom": {"name": trigger}}
        started = self._call("POST", f"/rest/workflows/{workflow_id}/run", body)
        return str(started["executionId"])

    def get_execution(self, execution_id: str) -> Mapping[str, Any]:
        """Returns an execution; its ``data`` is text in the format of ``flatted``."""
        execution: Mapping[str, Any] = self._call("GET", f"/rest/executions/{execution_id}")
        return execution

    def stop_execution(self, execution_id: str) -> None:
        """Stops a running execution."""
        self._call("POST", f"/rest/executions/{execution_id}/stop")

    def get_output_schema(self, *route: str) -> Mapping[str, Any] | None:
        """Returns n8n's JSON schema of the output of a node: type, version, resource, operation."""
        try:
            schema = self._call("GET", f"/schemas/{'/'.join(route)}.json")
        except EditorError:
            return None
        return schema if isinstance(schema, dict) else None

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        call = f"{method} {path}"
        try:
            with self._http.stream(method, path, json=body) as answer:
                status, is_success = answer.status_code, answer.is_success
                text = _read_bounded(call, answer)
        except httpx2.HTTPError as error:
            raise EditorError(call, str(error) or type(error).__name__) from error
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            why = "the answer is not JSON" if is_success else _shorten(text)
            raise EditorError(call, why, status) from error
        if not is_success:
            message = content.get("message") if isinstance(content, dict) else None
            raise EditorError(call, str(message or _shorten(text))[:_SHOWN], status)
        return content["data"] if isinstance(content, dict) and "data" in content else content


def _read_bounded(call: str, answer: httpx2.Response) -> bytes:
    """Returns the body of an answer; raises EditorError for one that is too large to be kept."""
    body = bytearray()
    for part in answer.iter_bytes():
        body += part
        if len(body) > _MAX_ANSWER_BYTES:
            text = f"the answer has more than {_MAX_ANSWER_BYTES // 1_000_000} MB and is not read"
            raise EditorError(call, text, answer.status_code)
    return bytes(body)


def _shorten(text: bytes) -> str:
    return text[:_SHOWN].decode("utf-8", "replace")
