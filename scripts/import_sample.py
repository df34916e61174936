"""Imports the sample workflow into n8n with the `grounded` command, unless it is there."""

from __future__ import annotations

from pathlib import Path

from runtime.n8n_server import N8nServer
from runtime.paths import ROOT
from scripts.grounded import grounded, has_workflow

SAMPLE = ROOT / "examples" / "workflows" / "webhook-hello.json"


def imported_sample(state: Path, n8n: N8nServer) -> str:
    """Returns the editor address of the sample; validates and imports it if it is absent."""
    path = state / "sample-workflow-id"
    workflow = path.read_text().strip() if path.exists() else ""
    if not has_workflow(n8n, workflow):
        document = SAMPLE.read_text("utf-8")
        grounded(state, n8n, "validate", document=document)
        workflow = str(grounded(state, n8n, "import", document=document)["workflow_id"])
        path.write_text(workflow)
    return f"{n8n.url}/workflow/{workflow}"
