"""``grounded edit`` as a program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import catalogs
from tests.support.program import make_acme_state, run


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_acme_state(tmp_path_factory.mktemp("state"))


def test_a_file_is_changed_only_on_request(state: Path, tmp_path: Path) -> None:
    """Without --write the difference is shown; with it only the changed lines differ."""
    file = tmp_path / "flow.json"
    text = json.dumps(catalogs.workflow(), indent=4)
    file.write_text(text)
    shown = run(state, "edit", "flow.json", "rename Mail to Greeting", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert b'+            "name": "Greeting",' in shown.stdout
    assert file.read_text() == text
    run(state, "edit", "flow.json", "rename Mail to Greeting", "--write", cwd=tmp_path)
    renamed = text.replace('"name": "Mail"', '"name": "Greeting"')
    assert file.read_text() == renamed.replace('"node": "Mail"', '"node": "Greeting"')


def test_a_patch_can_be_applied(state: Path, tmp_path: Path) -> None:
    """With --diff only the patch is written."""
    (tmp_path / "flow.json").write_text(json.dumps(catalogs.workflow(), indent=2))
    shown = run(state, "edit", "flow.json", "disable Mail", "--diff", cwd=tmp_path)
    lines = shown.stdout.decode().splitlines()
    assert lines[:2] == ["--- a/flow.json", "+++ b/flow.json"]
    assert '+      "disabled": true' in lines


def test_an_edit_is_a_run(state: Path, tmp_path: Path) -> None:
    """The answer names its run, which keeps the request."""
    (tmp_path / "flow.json").write_text(json.dumps(catalogs.workflow()))
    result = run(state, "edit", "flow.json", "disable Mail", "--format", "json", cwd=tmp_path)
    answer = json.loads(result.stdout)
    assert answer["edit"]["done"] == ['"Mail": disabled']
    stored = run(state, "runs", answer["session"], cwd=tmp_path)
    assert b"disable Mail" in stored.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["flow.json", "make it nicer"], 1, b"No rule for changes fits"),
        (["flow.json", " "], 2, b"a request has"),
        (["absent.json", "disable Mail"], 2, b"absent.json"),
        (["text.json", "disable Mail"], 1, b"refused"),
        (["flow.json", "remove the Foo9000 node"], 1, b"no node of the workflow"),
    ],
)
def test_impossible_edit_is_reported(
    state: Path, tmp_path: Path, arguments: list[str], status: int, message: bytes
) -> None:
    """An unusable request or file is reported in one sentence, and the file stays unchanged."""
    text = json.dumps(catalogs.workflow())
    (tmp_path / "flow.json").write_text(text)
    (tmp_path / "text.json").write_text("no workflow at all")
    result = run(state, "edit", *arguments, "--write", cwd=tmp_path)
    assert result.returncode == status
    assert message in result.stdout + result.stderr
    assert b"Traceback" not in result.stderr
    assert (tmp_path / "flow.json").read_text() == text
