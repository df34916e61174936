"""``grounded backup`` and ``grounded restore``: what people meet."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from grounded_builder.storage.restore import StateNotEmptyError
from tests.support import catalogs
from tests.unit.interfaces.cli.test_aliases import complaint, run, said


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "acme.jsonl").write_bytes(catalogs.acme_bytes())
    said(tmp_path / "from", "catalog", "load", str(tmp_path / "acme.jsonl"))
    return tmp_path


def test_a_state_moves_as_one_private_file(state: Path) -> None:
    """What was backed up in one place works in another, with the same catalog."""
    file = state / "all.backup"
    assert "keep it safe" in said(state / "from", "backup", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "rows from" in said(state / "to", "restore", str(file))
    listed = [said(state / item, "catalog", "list") for item in ("from", "to")]
    assert listed[0] == listed[1] != ""


def test_nothing_is_overwritten_unasked(state: Path) -> None:
    """A file that is there, and a state with something in it, stay; one is told what to say."""
    file = state / "all.backup"
    said(state / "from", "backup", str(file))
    assert "--overwrite" in complaint(state / "from", "backup", str(file))
    text = complaint(state / "from", "restore", str(file))
    assert "--replace" in text
    assert "not empty" in text
    assert StateNotEmptyError.help in text
    said(state / "from", "restore", str(file), "--replace")
    said(state / "from", "backup", str(file), "--overwrite")


def test_a_key_of_the_environment_is_said_to_be_missing(state: Path) -> None:
    """The key that the environment brings is in no backup, and that is told."""
    ran = run(state / "from", "backup", str(state / "b"), env={"GROUNDED_RECEIPT_KEY": "k" * 40})
    assert ran.exit_code == 0
    assert "GROUNDED_RECEIPT_KEY" in ran.stderr
    assert b"k" * 40 not in (state / "b").read_bytes()
