"""``grounded repair`` on the files of a repository."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support import catalogs
from tests.support.program import make_acme_state, run


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_acme_state(tmp_path_factory.mktemp("state"))


def make_broken_workflow() -> dict[str, Any]:
    document = catalogs.workflow()
    document["nodes"][0] |= {"type": "acme-nodes.HOOK", "webhookId": "hook"}
    return document


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_is_mended_in_place(encoding: str, state: Path, tmp_path: Path) -> None:
    """Encoding, line ends and every other byte stay; a second run finds nothing to do."""
    file = tmp_path / "a.json"
    text = json.dumps(make_broken_workflow(), indent=3).replace("\n", "\r\n")
    file.write_bytes(text.encode(encoding))
    made = run(state, "repair", "--write", "a.json", cwd=tmp_path)
    assert made.returncode == 0, made.stdout
    assert b"a.json: fixed /nodes/0/type" in made.stdout
    wanted = text.replace("acme-nodes.HOOK", catalogs.HOOK).encode(encoding)
    assert file.read_bytes() == wanted
    again = run(state, "repair", "--write", "a.json", cwd=tmp_path)
    assert b"fixed" not in again.stdout
    assert file.read_bytes() == wanted


def test_the_difference_is_a_patch(state: Path, tmp_path: Path) -> None:
    """No file is written, and `git apply` produces the result of `--write`."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps(make_broken_workflow(), indent=2) + "\n")
    before = file.read_bytes()
    made = run(state, "repair", "--diff", "a.json", cwd=tmp_path)
    assert file.read_bytes() == before
    subprocess.run(["git", "apply", "-"], input=made.stdout, cwd=tmp_path, check=True)
    patched = file.read_bytes()
    file.write_bytes(before)
    run(state, "repair", "--write", "a.json", cwd=tmp_path)
    assert file.read_bytes() == patched != before


def test_a_folder_that_cannot_be_written_loses_nothing(state: Path, tmp_path: Path) -> None:
    """A failed write is one clear line, the file stays as it was."""
    folder = tmp_path / "absent"
    folder.mkdir()
    file = folder / "a.json"
    file.write_text(json.dumps(make_broken_workflow()))
    made = run(state, "repair", "--write", "-", given=file.read_bytes())
    assert made.returncode == 2
    assert b"standard input" in made.stderr
    assert json.loads(file.read_text()) == make_broken_workflow()


def test_repair_formats_document_from_prose(state: Path, tmp_path: Path) -> None:
    """A document found in prose becomes a formatted file."""
    file = tmp_path / "a.json"
    file.write_text("Here you are:\n```json\n" + json.dumps(make_broken_workflow()) + "\n```\n")
    assert run(state, "repair", "--write", "a.json", cwd=tmp_path).returncode == 0
    assert json.loads(file.read_text())["nodes"][0]["type"] == catalogs.HOOK


def test_a_report_without_fixes_states_it(state: Path, tmp_path: Path) -> None:
    """A report without fixes has an empty list of them in every format."""
    file, line = tmp_path / "a.json", tmp_path / "a.jsonl"
    file.write_text('{"nodes": 5}')
    line.write_text('{"id": 1, "workflow": {"nodes": 5}}')
    for form, name in (("json", "a.json"), ("jsonl", "a.json"), ("jsonl", "a.jsonl")):
        made = run(state, "repair", "--format", form, name, cwd=tmp_path)
        assert json.loads(made.stdout)["fixes"] == []


def test_reports_carry_the_workflow_and_the_reasons(state: Path, tmp_path: Path) -> None:
    """json and jsonl have the repaired workflow, each edit with its reason, and what remains."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps(make_broken_workflow()))
    for form in ("json", "jsonl"):
        made = run(state, "repair", "--format", form, "a.json", cwd=tmp_path)
        record = json.loads(made.stdout)
        assert record["workflow"]["nodes"][0]["type"] == catalogs.HOOK
        assert [fix["at"] for fix in record["fixes"]] == ["/nodes/0/type"]
        assert record["verdict"] == "ok"
