"""Runs the `grounded` command of this checkout beside a running n8n."""

from __future__ import annotations

import json
import os
import subprocess
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests

from runtime import sidecar_server
from runtime.n8n_server import N8nServer

_DEADLINE_S = 120
_TIMEOUT_S = 60


def grounded(state: Path, n8n: N8nServer, *arguments: str, document: str) -> dict[str, Any]:
    """Returns the JSON output of a command for a document; raises SystemExit if it fails."""
    command = [sidecar_server.grounded(), *arguments, "-", "--format", "json"]
    done = subprocess.run(
        command,
        env={**os.environ, **sidecar_server.environment(state, n8n)},
        input=document,
        capture_output=True,
        text=True,
        check=False,
        timeout=_DEADLINE_S,
    )
    if done.returncode != 0:
        raise SystemExit(
            f"`grounded {' '.join(arguments)}` ended with {done.returncode}:\n"
            f"{done.stdout}{done.stderr}"
        )
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def has_workflow(n8n: N8nServer, workflow: str) -> bool:
    """Returns whether n8n has this workflow and it is not archived."""
    if not workflow:
        return False
    answer = requests.get(
        f"{n8n.url}/api/v1/workflows/{workflow}",
        headers={"X-N8N-API-KEY": n8n.api_key},
        timeout=_TIMEOUT_S,
    )
    return answer.status_code == HTTPStatus.OK and not answer.json().get("isArchived", False)
