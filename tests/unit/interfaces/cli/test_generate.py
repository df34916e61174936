"""``grounded generate`` and ``grounded runs`` as programs, over the invented catalog."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from tests.support import catalogs, program

REQUEST = "When the Acme hook is called, send a message by Acme Mail"


@pytest.fixture
def catalog(tmp_path: Path) -> Path:
    path = tmp_path / "acme.jsonl"
    path.write_bytes(catalogs.acme_bytes())
    return path


def run(
    state: Path, *arguments: str, stdin: str = "", **environ: str
) -> subprocess.CompletedProcess[str]:
    """Runs ``grounded``, with texts in the place of bytes."""
    made = program.run(state, *arguments, given=stdin.encode(), env=environ)
    return subprocess.CompletedProcess(
        made.args, made.returncode, made.stdout.decode(), made.stderr.decode()
    )


def test_a_request_becomes_a_workflow_for_people(tmp_path: Path, catalog: Path) -> None:
    """The text names the tools, what is to do, and the run, which can be read afterwards."""
    made = run(tmp_path, "generate", REQUEST, "--catalog", str(catalog))
    assert made.returncode == 1, made.stderr
    assert "Acme Hook and Acme Mail" in made.stdout
    assert "to do: " in made.stdout
    listed = run(tmp_path, "runs", "--format", "jsonl").stdout.splitlines()
    (line,) = [json.loads(name) for name in listed]
    assert (line["request"], line["outcome"]) == (REQUEST, "incomplete")
    assert line["id"] in made.stdout
    shown = run(tmp_path, "runs", line["id"])
    assert REQUEST in shown.stdout
    assert "draft 1 by planner: incomplete" in shown.stdout
    whole = json.loads(run(tmp_path, "runs", line["id"], "--format", "json").stdout)
    assert whole["result"]["outcome"] == "incomplete"


def test_lines_in_lines_out(tmp_path: Path, catalog: Path) -> None:
    """Each line is answered with its id, in order; a bad one with its fault."""
    asked = [
        json.dumps({"id": 1, "request": REQUEST}),
        "no json",
        json.dumps({"id": [2], "request": " "}),
        json.dumps({"id": "x", "request": REQUEST, "constraints": {"forbid": ["Acme Mail"]}}),
        json.dumps({"id": None, "request": REQUEST, "constraints": 7}),
    ]
    made = run(
        tmp_path, "generate", "--format", "jsonl", "--catalog", str(catalog), stdin="\n".join(asked)
    )
    assert made.returncode == 1, made.stderr
    records: list[dict[str, Any]] = [json.loads(line) for line in made.stdout.splitlines()]
    assert [record["id"] for record in records] == [1, None, [2], "x", None]
    assert [records[n]["outcome"] for n in (0, 3)] == ["incomplete", "refused"]
    assert all(records[n].keys() == {"id", "error"} for n in (1, 2, 4))
    keys = {"outcome", "reason", "artifact", "plan", "summary", "rounds", "diagnostics"}
    assert keys <= records[0].keys()
    assert "line 2" in records[1]["error"]
    assert any("policy denies" in diagnostic["message"] for diagnostic in records[3]["diagnostics"])


def test_the_configured_model_drafts(tmp_path: Path, catalog: Path, httpserver: HTTPServer) -> None:
    """With an endpoint its model drafts, and the exit status is 0 if nothing is left to do."""
    plan = {"steps": [{"id": "a", "tool": catalogs.HOOK, "params": {"path": "p"}}]}
    content = {"choices": [{"message": {"content": json.dumps(plan)}}]}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(content)
    model = {"GROUNDED_MODEL_URL": httpserver.url_for("/v1"), "GROUNDED_MODEL": "m"}
    text = "Start when the Acme hook is called"
    made = run(tmp_path, "generate", text, "--format", "json", "--catalog", str(catalog), **model)
    assert made.returncode == 0, made.stderr
    answer = json.loads(made.stdout)
    assert (answer["outcome"], answer["rounds"]) == ("built", 1)
    assert [node["type"] for node in answer["artifact"]["nodes"]] == [catalogs.HOOK]
    chats = run(tmp_path, "runs", "export", "--pairs").stdout.splitlines()
    assert [json.loads(chat)["messages"][-1]["role"] for chat in chats] == ["assistant"]
    whole = run(tmp_path, "runs", "export").stdout.splitlines()
    assert [json.loads(name)["id"] for name in whole] == [answer["session"]]
    assert "runs export" in run(tmp_path, "runs", "--pairs").stderr


def test_an_import_without_n8n_names_the_setting(tmp_path: Path, catalog: Path) -> None:
    """The result is kept; the error names the setting that an import needs."""
    made = run(tmp_path, "generate", REQUEST, "--import", "--catalog", str(catalog))
    assert made.returncode == 1
    assert "GROUNDED_N8N_URL is not set" in made.stdout


def test_impossible_generation_is_one_line(tmp_path: Path, catalog: Path) -> None:
    """No catalog, no request, an unknown run or half a model gives one line and exit status 2."""
    cases: tuple[tuple[list[str], dict[str, str], str], ...] = (
        (["generate", REQUEST], {}, "no catalog"),
        (["generate", " ", "--catalog", str(catalog)], {}, "there is no request"),
        (["runs", "nothing"], {}, "there is no run"),
        (["runs"], {"GROUNDED_MODEL_URL": "http://127.0.0.1:9"}, "GROUNDED_MODEL names no model"),
        (["runs"], {"GROUNDED_ROUNDS": "0"}, "GROUNDED_ROUNDS"),
    )
    for arguments, environ, words in cases:
        made = run(tmp_path, *arguments, **environ)
        assert made.returncode == 2, (arguments, made.stdout, made.stderr)
        assert words in made.stderr
        assert len(made.stderr.splitlines()) == 1


def test_constraints_that_only_a_model_reads_are_reported(tmp_path: Path, catalog: Path) -> None:
    """Constraints that the planner ignores are named."""
    order = {"id": 1, "request": REQUEST, "constraints": {"blocked": ["a"], "no_code": True}}
    arguments = ("generate", "--format", "jsonl", "--catalog", str(catalog))
    stdout = run(tmp_path, *arguments, stdin=json.dumps(order)).stdout
    summary = json.loads(stdout)["summary"]
    assert summary.endswith('The planner does not read what is said under "blocked".')
