"""``grounded doctor``: each part is seen as it is, and nothing is changed by looking."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from pytest_httpserver import HTTPServer
from typer.testing import Result

from grounded_builder.domains.n8n.deploy.instance_status import version_in
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import open_store
from runtime.ports import free_port
from tests.support import catalogs
from tests.unit.interfaces.cli.test_aliases import Env, run
from tests.unit.storage.releases import COMPILERS


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def node(tmp_path: Path) -> Path:
    """A program that tells a version as Node does."""
    return _program(tmp_path / "node", "echo v24.1.0")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state as the first start of a server leaves it, with a catalog."""
    folder = tmp_path / "state"
    store = open_store(Settings(state=folder, database_url=sqlite_url(folder)), COMPILERS)
    store.load_catalog(catalogs.acme_bytes())
    store.secrets()
    store.first_token()
    store.close()
    return folder


def _program(file: Path, script: str) -> Path:
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o700)
    return file


def _ran(state: Path, node: Path, env: Env = None, *more: str) -> Result:
    return run(state, "doctor", *more, env={"GROUNDED_NODE": str(node), **(env or {})})


def _run_doctor(state: Path, node: Path, env: Env = None, *more: str) -> dict[str, dict[str, str]]:
    ran = _ran(state, node, env, "--format", "json", *more)
    value = json.loads(ran.stdout)
    failed = any(part["state"] == "failed" for part in value["parts"])
    assert (ran.exit_code == 1) == failed == (value["verdict"] == "failed")
    return {part["part"]: part for part in value["parts"]}


def test_valid_installation_has_no_failure(state: Path, node: Path) -> None:
    """No part fails, parts that are not set up are absent, and the exit status is 0."""
    seen = _run_doctor(state, node)
    assert {item["state"] for item in seen.values()} == {"ok", "absent"}
    assert [name for name, item in seen.items() if item["state"] == "absent"] == ["n8n"]
    text = _ran(state, node)
    assert text.exit_code == 0
    assert text.stdout.rstrip().endswith("\nok")
    lines = _ran(state, node, None, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["part"] for line in lines] == list(seen)
    assert _ran(state, node, None, "--format", "sarif").exit_code == 2


def test_doctor_changes_nothing(tmp_path: Path, node: Path) -> None:
    """An empty state stays empty, and unused parts are no failures."""
    seen = _run_doctor(tmp_path / "none", node)
    assert not (tmp_path / "none").exists()
    assert {item["state"] for item in seen.values()} == {"ok", "absent"}
    assert (seen["catalog n8n"]["state"], seen["n8n"]["state"]) == ("absent", "absent")
    assert "Simulink needs none" in seen["catalog n8n"]["message"]
    assert "node-catalog-sync" in seen["catalog n8n"]["help"]
    assert "catalog of the package is used" in seen["catalog simulink"]["message"]


def test_doctor_requires_n8n_catalog_for_n8n(tmp_path: Path, node: Path) -> None:
    """A missing n8n catalog fails if n8n is configured or selected."""
    entries = {"GROUNDED_N8N_URL": f"http://127.0.0.1:{free_port()}"}
    assert _run_doctor(tmp_path / "none", node, entries)["catalog n8n"]["state"] == "failed"
    named = _run_doctor(tmp_path / "none", node, None, "--domain", "n8n")
    assert named["catalog n8n"]["state"] == "failed"
    assert "catalog simulink" not in named
    tools = _run_doctor(tmp_path / "none", node, None, "--domain", "tools")
    assert tools["catalog tools"]["state"] == "failed"


def test_doctor_requires_no_n8n_for_simulink(tmp_path: Path) -> None:
    """Simulink needs no Node, no n8n catalog and no n8n address."""
    env: Env = {"PATH": str(tmp_path / "bin"), "GROUNDED_CACHE": str(tmp_path / "cache")}
    seen = _run_doctor(tmp_path / "none", tmp_path / "no-node", env)
    assert (seen["node"]["state"], "n8n" in seen["node"]["message"]) == ("absent", True)
    assert _ran(tmp_path / "none", tmp_path / "no-node", env, "--strict").exit_code == 0
    entries = {**(env or {}), "GROUNDED_N8N_URL": f"http://127.0.0.1:{free_port()}"}
    alone = _run_doctor(tmp_path / "none", tmp_path / "no-node", entries, "--domain", "simulink")
    assert not {"n8n", "node", "catalog n8n"} & set(alone)
    assert {item["state"] for item in alone.values()} == {"ok", "absent"}
    ran = _ran(tmp_path / "none", tmp_path / "no-node", env, "--domain", "labview")
    assert (ran.exit_code, "there is no domain" in str(ran.exception)) == (1, True)


def _open_token(state: Path) -> None:
    (state / "token").chmod(0o644)


def _other_token(state: Path) -> None:
    (state / "token").write_text("grounded_of_another_state\n")


def _open_database(state: Path) -> None:
    (state / "grounded.db").chmod(0o644)


def _sql(*statements: str) -> Callable[[Path], None]:
    def change(state: Path) -> None:
        with sqlite3.connect(state / "grounded.db") as connection:
            for statement in statements:
                connection.execute(statement)

    return change


def _damage_database(state: Path) -> None:
    (state / "grounded.db").write_bytes(b"no database, but long enough to look like one" * 100)
    for more in state.glob("grounded.db-*"):
        more.unlink()


@pytest.mark.parametrize(
    ("harm", "part", "expected", "word"),
    [
        (_open_token, "token", "failed", "chmod 600"),
        (_other_token, "token", "doubtful", "not in this database"),
        (_open_database, "state folder", "failed", "chmod 600"),
        (_damage_database, "database", "failed", "backup"),
        (_sql("UPDATE alembic_version SET version_num='0001'"), "database", "doubtful", "0001"),
        (_sql("UPDATE alembic_version SET version_num='9999'"), "database", "failed", "newer"),
        (_sql("DELETE FROM secrets WHERE name='receipt-key'"), "keys", "doubtful", "receipt-key"),
        (_sql("DELETE FROM activations"), "catalog n8n", "failed", "catalog load"),
        (_sql("UPDATE catalogs SET loaded_at='2999-01-01T00:00:00Z'"), "clock", "failed", "NTP"),
    ],
)
def test_each_harm_is_seen_where_it_is(
    harm: Callable[[Path], None], part: str, expected: str, word: str, state: Path, node: Path
) -> None:
    """One harm is one observation that is not well, with what to do about it."""
    harm(state)
    seen = _run_doctor(state, node)
    unwell = {name: item for name, item in seen.items() if item["state"] in ("doubtful", "failed")}
    assert list(unwell) == [part]
    assert unwell[part]["state"] == expected
    assert word in unwell[part]["message"] + unwell[part]["help"]


@pytest.mark.parametrize(
    ("script", "word"),
    [("echo v20.1.0", "older"), ("echo hello", "no version"), ("exit 3", "no version")],
)
def test_a_node_that_cannot_be_used_is_reported(
    script: str, word: str, state: Path, tmp_path: Path
) -> None:
    """A Node that is too old, or none, is in doubt: catalogs can still be loaded."""
    program = _program(tmp_path / "other", script)
    env: Env = {"PATH": str(tmp_path / "bin"), "GROUNDED_CACHE": str(tmp_path / "cache")}
    seen = _run_doctor(state, program, env)["node"]
    assert (seen["state"], word in seen["message"]) == ("doubtful", True)
    assert _ran(state, program, env).exit_code == 0
    assert _ran(state, program, env, "--strict").exit_code == 1


def test_little_room_is_reported(state: Path, node: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that runs full is in doubt, a full one fails."""
    for free, expected in ((5 * 10**8, "doubtful"), (10**7, "failed"), (10**10, "ok")):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: Usage(1, 1, free))
        assert _run_doctor(state, node)["disk"]["state"] == expected


PAGE = '<meta name="n8n:config:sentry" content="eyJyZWxlYXNlIjoibjhuQDEuMi4zIn0=">'


def _n8n(server: HTTPServer, page: str = PAGE) -> dict[str, str]:
    server.expect_request("/").respond_with_data(page)
    return {"GROUNDED_N8N_URL": server.url_for("/").rstrip("/"), "GROUNDED_N8N_API_KEY": "hush"}


def _lists(server: HTTPServer, **statuses: int) -> None:
    for item in ("workflows", "credentials", "executions"):
        status = statuses.get(item, 200)
        body: dict[str, Any] = {"data": []} if status == 200 else {"message": "no"}
        server.expect_request(f"/api/v1/{item}").respond_with_json(body, status)


def test_an_n8n_is_asked_for_its_version_and_its_lists(
    state: Path, node: Path, httpserver: HTTPServer
) -> None:
    """Another version than the catalog's is in doubt; so is a key that opens less than is used."""
    env = _n8n(httpserver)
    _lists(httpserver, credentials=403)
    seen = _run_doctor(state, node, env)
    assert seen["n8n"]["message"].startswith("1.2.3 at ")
    assert (seen["n8n"]["state"], "credentials" in seen["n8n"]["message"]) == ("doubtful", True)
    assert seen["catalog n8n"]["state"] == "doubtful"
    assert "n8n 1.2.3 is running" in seen["catalog n8n"]["message"]
    assert "hush" not in json.dumps(seen)


def test_a_refused_key_fails(state: Path, node: Path, httpserver: HTTPServer) -> None:
    """A key that n8n does not take fails, and none at all does."""
    env = _n8n(httpserver, "<html>another page</html>")
    _lists(httpserver, workflows=401, credentials=401, executions=401)
    seen = _run_doctor(state, node, env)
    assert (seen["n8n"]["state"], "GROUNDED_N8N_API_KEY" in seen["n8n"]["help"]) == ("failed", True)
    assert seen["catalog n8n"]["state"] == "ok"
    without = {"GROUNDED_N8N_URL": env["GROUNDED_N8N_URL"]}
    assert _run_doctor(state, node, without)["n8n"]["state"] == "failed"


def test_a_clock_that_differs_is_reported(
    state: Path, node: Path, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clock that is not that of n8n is in doubt; one that goes with it is not."""
    env = _n8n(httpserver)
    _lists(httpserver)
    for ahead, expected, word in ((0, "ok", "as at"), (600, "doubtful", "ahead of")):
        now = SimpleNamespace(time=lambda ahead=ahead: time.time() + ahead)
        monkeypatch.setattr("grounded_builder.domains.n8n.deploy.instance_status.time", now)
        seen = _run_doctor(state, node, env)["clock"]
        assert (seen["state"], word in seen["message"]) == (expected, True)


@pytest.mark.parametrize(("status", "expected"), [(200, "ok"), (404, "ok"), (401, "failed")])
def test_a_model_is_reached_without_being_asked(
    status: int, expected: str, state: Path, node: Path, httpserver: HTTPServer
) -> None:
    """One call that costs nothing tells whether an endpoint answers and takes the key."""
    httpserver.expect_request("/v1/models").respond_with_json({"data": []}, status)
    model = {"GROUNDED_MODEL_URL": httpserver.url_for("/v1"), "GROUNDED_MODEL": "m"}
    seen = _run_doctor(state, node, {**model, "GROUNDED_MODEL_KEY": "hush"})
    assert seen["drafter model"]["state"] == expected
    assert "hush" not in json.dumps(seen)
    assert len(httpserver.log) == 1


def test_doctor_reports_unreachable_services(state: Path, node: Path) -> None:
    """A missing n8n and a missing model are reported as observations."""
    text = f"http://127.0.0.1:{free_port()}"
    env = {"GROUNDED_N8N_URL": text, "GROUNDED_MODEL_URL": text, "GROUNDED_MODEL": "m"}
    seen = _run_doctor(state, node, env)
    assert seen["n8n"]["state"] == seen["drafter model"]["state"] == "failed"
    assert seen["drafter planner"]["state"] == "ok"


def test_another_page_has_no_version() -> None:
    """A version is read only from the place where n8n writes it."""
    assert version_in(PAGE.encode()) == "1.2.3"
    for odd in (b"", b"n8n@1.2.3", PAGE.replace("eyJ", "e$J").encode(), b"\xff" * 100):
        assert version_in(odd) is None
    for content in ("bnVsbA==", "W10=", "eyJyZWxlYXNlIjoxfQ==", "eyJ=="):
        assert version_in(f'<meta name="n8n:config:sentry" content="{content}">'.encode()) is None


def test_other_folders_are_reported(tmp_path: Path, node: Path) -> None:
    """A file in the place of the state folder fails there."""
    (tmp_path / "file").write_text("in the way")
    assert _run_doctor(tmp_path / "file", node)["state folder"]["state"] == "failed"
