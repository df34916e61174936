"""Lists of shipped components are valid, and are checked for vulnerabilities."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from pytest_httpserver import HTTPServer

from runtime.paths import ROOT
from scripts import audit, sbom


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return sbom.write_documents(tmp_path_factory.mktemp("sbom"))


def test_documents_hold_to_the_schema(documents: list[Path]) -> None:
    """Each is valid CycloneDX, and one that is spoilt is not."""
    assert len(documents) == 4
    validator = JsonStrictValidator(SchemaVersion.V1_5)
    for path in documents:
        text = path.read_text("utf-8")
        assert validator.validate_str(text) is None, path.name
        spoilt = json.loads(text) | {"components": [{"type": "nonsense"}]}
        assert validator.validate_str(json.dumps(spoilt)) is not None


def test_the_wheel_lists_its_whole_lock_file(documents: list[Path]) -> None:
    """Every pinned package is there with its version, and no more."""
    listed = json.loads(documents[0].read_text("utf-8"))["components"]
    lines = (ROOT / "requirements" / "runtime.txt").read_text("utf-8").splitlines()
    pinned = {line.split(" ")[0] for line in lines if "==" in line and not line.startswith(" ")}
    assert {f"{item['name']}=={item['version']}" for item in listed} == pinned


def test_the_page_of_licences_is_current() -> None:
    """docs/licences.md is what the installed packages say, and none says nothing."""
    page = sbom.list_licences()
    assert sbom.LICENCES.read_text("utf-8") == page, "run `make sbom`"
    assert "UNKNOWN" not in page


def test_a_vulnerability_is_found_by_name(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A known vulnerability is reported with its fix, and the step fails."""
    events = [{"introduced": "0"}, {"fixed": "9.9"}]
    known = {
        "id": "OSV-2026-1",
        "summary": "",
        "details": "",
        "affected": [
            {
                "package": {"name": "orjson", "ecosystem": "PyPI"},
                "ranges": [{"type": "ECOSYSTEM", "events": events}],
            }
        ],
    }

    def answer(request: object) -> object:
        from werkzeug import Request, Response

        assert isinstance(request, Request)
        is_known = json.loads(request.get_data())["package"]["name"] == "orjson"
        vulnerable = {"vulns": [known]} if is_known else {}
        return Response(json.dumps(vulnerable), content_type="application/json")

    httpserver.expect_request("/v1/query").respond_with_handler(answer)  # type: ignore[arg-type]
    monkeypatch.setenv("GROUNDED_OSV_URL", httpserver.url_for("/v1/query"))
    asked = audit.audit_python("requirements/runtime.txt")
    assert [
        vulnerability.split(":")[1].split(",")[0].strip() for vulnerability in asked.vulnerabilities
    ] == ["OSV-2026-1"]
    assert "9.9" in audit.describe(asked)


def test_an_index_that_cannot_be_reached_is_reported_and_fails_nothing() -> None:
    """The step ends with 0 and says of each lock file that it was not checked."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [sys.executable, "-m", "scripts.audit"],
            cwd=ROOT,
            env={
                **os.environ,
                "GROUNDED_OSV_URL": f"{nobody}/v1/query",
                "npm_config_registry": nobody,
                "npm_config_fetch_retries": "0",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("NOT CHECKED, the index gives no answer") == 5


@pytest.mark.parametrize("is_tool", [False, True])
def test_a_vulnerable_npm_package_is_reported(
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    is_tool: bool,
) -> None:
    """npm's index names it: the step fails where it is shipped, and states where it is a tool."""
    kind = "devDependencies" if is_tool else "dependencies"
    mark = {"dev": True} if is_tool else {}
    needs = {"name": "it", "version": "1.0.0", kind: {"leaky": "1.0.0"}}
    packages = {"": needs, "node_modules/leaky": {"version": "1.0.0", **mark}}
    lock = {"name": "it", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    (tmp_path / "package.json").write_text(json.dumps(needs))
    (tmp_path / "package-lock.json").write_text(json.dumps(lock))
    advisory = {
        "id": 1,
        "url": "http://127.0.0.1/1",
        "title": "It leaks",
        "severity": "high",
        "vulnerable_versions": "<2.0.0",
        "cwe": [],
        "cvss": {"score": 7.5, "vectorString": None},
    }
    httpserver.expect_request("/-/npm/v1/security/advisories/bulk").respond_with_json(
        {"leaky": [advisory]}
    )
    versions = {version: {"name": "leaky", "version": version} for version in ("1.0.0", "2.0.0")}
    httpserver.expect_request("/leaky").respond_with_json(
        {"name": "leaky", "dist-tags": {"latest": "2.0.0"}, "versions": versions}
    )
    monkeypatch.setenv("npm_config_registry", httpserver.url_for("/"))
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    monkeypatch.setattr(audit, "_PYTHON", ())
    monkeypatch.setattr(audit, "_NPM", (str(tmp_path),))
    assert audit.main() == (0 if is_tool else 1)
    assert f"{'not shipped: ' if is_tool else ''}leaky 1.0.0: high" in capsys.readouterr().out


def test_an_index_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes the connection and says nothing costs the bound, and fails nothing."""
    monkeypatch.setattr(audit, "_TIMEOUT_S", 2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent_url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setenv("GROUNDED_OSV_URL", f"{silent_url}/v1/query")
        monkeypatch.setenv("npm_config_registry", silent_url)
        asked = (audit.audit_python("requirements/local.txt"), audit.audit_npm("node-catalog-sync"))
    assert [item.reason for item in asked] == ["nothing came in 2 s"] * 2
