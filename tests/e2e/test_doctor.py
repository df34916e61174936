"""``grounded doctor`` before a real n8n."""

from __future__ import annotations

import json
from pathlib import Path

from runtime import paths
from runtime.n8n_server import N8nServer
from tests.support.program import run


def test_a_real_n8n_reports_its_version_and_opens_its_lists(
    tmp_path: Path, n8n: N8nServer, catalog_file: Path
) -> None:
    """The catalog that was read from an n8n is found to be of the one that answers."""
    assert run(tmp_path, "catalog", "load", str(catalog_file)).returncode == 0
    env = {
        "GROUNDED_N8N_URL": n8n.url,
        "GROUNDED_N8N_API_KEY": n8n.api_key,
        "GROUNDED_NODE": n8n.node,
    }
    ran = run(tmp_path, "doctor", "--format", "json", env=env)
    seen = {part["part"]: part for part in json.loads(ran.stdout)["parts"]}
    assert ran.returncode == 0, seen
    assert seen["n8n"]["message"] == f"{paths.n8n_version()} at {n8n.url}"
    assert "as n8n that is running" in seen["catalog n8n"]["message"]
    assert {item["state"] for item in seen.values()} <= {"ok", "absent"}
    wrong = run(tmp_path, "doctor", env={**env, "GROUNDED_N8N_API_KEY": "another"})
    assert wrong.returncode == 1
    assert b"refused the API key" in wrong.stdout
