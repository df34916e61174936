"""Judges alarms by a running n8n: sends it a small copy, and sees if it refuses or fails."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import requests

from evals.alarms.alarm import Alarm
from evals.alarms.judgement import Judgement, false, true
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.http import N8nError
from runtime.n8n_server import N8nServer
from tests.support.n8n_workflows import Workflow, hook, node, workflow
from tests.support.time_bounds import PATIENCE_S

CREATION, PUBLICATION, EXECUTION = "n8n at creation", "n8n at publication", "n8n at execution"

# Nodes without access to anything outside the execution, whose copies may run.
_HARMLESS = frozenset(
    f"n8n-nodes-base.{name}" for name in ("if", "switch", "filter", "set", "merge", "limit", "sort")
)
_READY_S = 15.0


@dataclass(slots=True)
class Server:
    """One n8n, with a cache of its answers."""

    server: N8nServer
    client: N8nClient
    answers: dict[str, Judgement | None] = field(default_factory=dict)

    def judge_type(self, alarm: Alarm) -> Judgement | None:
        """Judges by publishing a copy with a node of this type and version."""
        if alarm.node is None or not isinstance(alarm.node.get("type"), str):
            return None
        kind = alarm.node["type"]
        key = f"{alarm.code} {alarm.tool}"
        if key not in self.answers:
            entries = {**node("Asked", kind, 1), "typeVersion": alarm.node.get("typeVersion")}
            if entries["typeVersion"] is None:
                del entries["typeVersion"]
            refusal = self._try_publication(workflow(hook(), {**entries, "type": kind}))
            known = "configuration issues" in refusal or not refusal
            known_so = None if alarm.code == "GB205" else false(PUBLICATION, "takes the type")
            refused = true(PUBLICATION, "refuses the type or its version")
            self.answers[key] = known_so if known else refused
        return self.answers[key]

    def judge_creation(self, alarm: Alarm) -> Judgement | None:
        """Judges by creating a copy that contains only what the alarm names."""
        copy = _make_copy(alarm)
        if copy is None:
            return None
        refusal = self._try_creation(copy)
        if refusal:
            return true(CREATION, "refuses it")
        return false(CREATION, "stores it")

    def judge_execution(self, alarm: Alarm) -> Judgement | None:
        """Judges by running a harmless node with and without the parameter."""
        if alarm.node is None or alarm.node.get("type") not in _HARMLESS or not alarm.route:
            return None
        copy = {key: value for key, value in alarm.node.items() if key in _RUN}
        given = copy.get("parameters")
        without = {k: v for k, v in (given or {}).items() if k != alarm.route[0]}
        if '"=' in json.dumps(given):
            return None  # it may fail because the copy has no data
        if self._runs({**copy, "parameters": without}) and not self._runs(copy):
            return true(EXECUTION, "fails on the parameter, and runs without it")
        return None

    def _runs(self, copy: Mapping[str, Any]) -> bool:
        path = f"alarm-{uuid.uuid4().hex[:12]}"
        start = hook(webhookId=path)
        start["parameters"] = {"path": path, "responseMode": "lastNode"}
        asked = {"position": [0, 0], **copy, "name": "Asked", "id": str(uuid.uuid4())}
        try:
            made = self.client.create(workflow(start, asked))
            self.client.activate(made["id"])
        except N8nError:
            return False
        return self._call_path(path) != HTTPStatus.INTERNAL_SERVER_ERROR

    def _call_path(self, path: str) -> int:
        waited = 0.0
        while True:
            answer = requests.get(f"{self.server.url}/webhook/{path}", timeout=PATIENCE_S)
            if answer.status_code != HTTPStatus.NOT_FOUND or waited > _READY_S:
                return answer.status_code
            waited += 0.2
            time.sleep(0.2)

    def _try_creation(self, document: Workflow) -> str:
        try:
            made = self.client.create(document)
        except N8nError as error:
            return error.n8n_message or error.what
        self.client.delete(made["id"])
        return ""

    def _try_publication(self, document: Workflow) -> str:
        try:
            made = self.client.create(document)
            self.client.activate(made["id"])
        except N8nError as error:
            return error.n8n_message or error.what
        return ""


_RUN = ("type", "typeVersion", "parameters", "position", "onError", "alwaysOutputData")


def _make_copy(alarm: Alarm) -> Workflow | None:
    """Returns a workflow of plain nodes that keeps only what the alarm names of the original."""
    nodes = [item for item in alarm.document.get("nodes") or () if isinstance(item, dict)]
    at, code = alarm.finding.at, alarm.code
    if code in ("GB311", "GB312"):
        key = "name" if code == "GB311" else "id"
        wanted = (alarm.node or {}).get(key)
        plain = [
            _make_plain_node(f"Node {n}")
            for n in range(sum(item.get(key) == wanted for item in nodes))
        ]
        return _make_workflow([{**item, key: wanted} for item in plain])
    if "connections" in at[:2]:
        return _make_copy_with_edges(alarm, at[at.index("connections") + 1 :])
    if "settings" in at[:3] and len(at) > 1:
        settings = alarm.document.get("settings") or {}
        return {**_make_workflow([]), "settings": {at[-1]: settings.get(at[-1])}}
    if alarm.node is None:
        key = str(at[-1]) if at else ""
        return {**_make_workflow([]), key: alarm.document.get(key)}
    below = at[at.index("nodes") + 2 :] if "nodes" in at[:2] else ()
    if not below:
        return _make_workflow([dict(alarm.node)])
    return _make_workflow(
        [{**_make_plain_node("Node"), str(below[0]): alarm.node.get(str(below[0]))}]
    )


def _make_copy_with_edges(alarm: Alarm, below: tuple[str | int, ...]) -> Workflow:
    """Returns the nodes by name only, with the part of the connections that the alarm names."""
    names = [item.get("name") for item in alarm.document["nodes"] if isinstance(item, dict)]
    held: Any = alarm.document["connections"]
    if below and below[-1] in ("node", "type", "index"):
        below = below[:-1]
    for part in below:
        held = held[part]
    for part in reversed(below):
        held = {part: held} if isinstance(part, str) else [held]
    nodes = [_make_plain_node(name) for name in dict.fromkeys(names) if isinstance(name, str)]
    return {**_make_workflow(nodes), "connections": held}


def _make_plain_node(name: str) -> Workflow:
    return node(name, "noOp", 1)


def _make_workflow(nodes: Sequence[Mapping[str, Any]]) -> Workflow:
    return workflow(*[dict(item) for item in nodes], edges={})
