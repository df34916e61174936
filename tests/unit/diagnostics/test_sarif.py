"""SARIF, held against the published schema of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from tests.support import catalogs, npm
from tests.support.program import make_acme_state, run

SCHEMAS = ("schemastore", "0.2.2")


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_acme_state(tmp_path_factory.mktemp("state"))


def test_a_log_obeys_the_published_schema(state: Path, tmp_path: Path) -> None:
    """Findings of several files, odd names and broken text make a log that any reader takes."""
    document = catalogs.workflow()
    document["nodes"][0]["type"] = "acme-nodes.hok"
    folder = tmp_path / "flöws 100%"
    folder.mkdir()
    (folder / "a b.json").write_text(json.dumps(document))
    (folder / "broken.json").write_text('{"nodes": [')
    made = run(state, "validate", "--format", "sarif", str(folder), cwd=tmp_path)
    log = json.loads(made.stdout)
    file = npm.unpack_package(*SCHEMAS) / "schemas" / "json" / "sarif-2.1.0.json"
    validator = Draft7Validator(json.loads(file.read_text("utf-8")))
    assert [error.message for error in validator.iter_errors(log)] == []
    results = log["runs"][0]["results"]
    places = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}
    assert "fl%C3%B6ws%20100%25/a%20b.json" in places
    assert all(result["partialFingerprints"] for result in results)
