"""Puts the sample workflow into n8n once, through the command line a user would use."""

from __future__ import annotations

import json
import os
import subprocess
from http import HTTPStatus
from pathlib import Path

import requests

from runtime import sidecar_server
from runtime.n8n_server import N8nServer
from runtime.paths import ROOT

SAMPLE = ROOT / "examples" / "workflows" / "webhook-hello.json"


def imported_sample(state: Path, n8n: N8nServer) -> str:
    """Returns the editor address of the sample; validates and imports it when n8n has it not."""
    kept = state / "sample-workflow-id"
    workflow = kept.read_text().strip() if kept.exists() else ""
    if not workflow or not _exists(n8n, workflow):
        _grounded(state, n8n, "validate")
        workflow = _workflow_id(_grounded(state, n8n, "import"))
        kept.write_text(workflow)
    return f"{n8n.url}/workflow/{workflow}"


def _grounded(state: Path, n8n: N8nServer, verb: str) -> str:
    command = [sidecar_server.grounded(), verb, str(SAMPLE), "--format", "json"]
    done = subprocess.run(
        command,
        env={**os.environ, **sidecar_server.environment(state, n8n)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode != 0:
        raise SystemExit(
            f"`grounded {verb} {SAMPLE.name}` ended with {done.returncode}:\n"
            f"{done.stdout}{done.stderr}"
        )
    return done.stdout


def _workflow_id(report: str) -> str:
    return str(json.loads(report)["workflow_id"])


def _exists(n8n: N8nServer, workflow: str) -> bool:
    answer = requests.get(
        f"{n8n.url}/api/v1/workflows/{workflow}",
        headers={"X-N8N-API-KEY": n8n.api_key},
        timeout=20,
    )
    return answer.status_code == HTTPStatus.OK and not answer.json().get("isArchived", False)
