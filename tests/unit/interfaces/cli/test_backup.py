"""The commands ``grounded backup`` and ``grounded restore``."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from grounded_builder.storage.restore import StateNotEmptyError
from tests.support import catalogs
from tests.unit.interfaces.cli.test_aliases import complaint, output_of, run


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "acme.jsonl").write_bytes(catalogs.acme_bytes())
    output_of(tmp_path / "from", "catalog", "load", str(tmp_path / "acme.jsonl"))
    return tmp_path


def test_a_state_moves_as_one_private_file(state: Path) -> None:
    """A backup of one installation works in another, with the same catalog."""
    file = state / "all.backup"
    assert "keep it safe" in output_of(state / "from", "backup", str(file))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "rows from" in output_of(state / "to", "restore", str(file))
    listed = [output_of(state / item, "catalog", "list") for item in ("from", "to")]
    assert listed[0] == listed[1] != ""


def test_backup_overwrites_only_with_option(state: Path) -> None:
    """An existing file and a state with content stay, and the error names the option."""
    file = state / "all.backup"
    output_of(state / "from", "backup", str(file))
    assert "--overwrite" in complaint(state / "from", "backup", str(file))
    text = complaint(state / "from", "restore", str(file))
    assert "--replace" in text
    assert "not empty" in text
    assert StateNotEmptyError.help in text
    output_of(state / "from", "restore", str(file), "--replace")
    output_of(state / "from", "backup", str(file), "--overwrite")


def test_a_missing_key_of_the_environment_is_reported(state: Path) -> None:
    """The key that the environment brings is in no backup, and that is reported."""
    ran = run(state / "from", "backup", str(state / "b"), env={"GROUNDED_RECEIPT_KEY": "k" * 40})
    assert ran.exit_code == 0
    assert "GROUNDED_RECEIPT_KEY" in ran.stderr
    assert b"k" * 40 not in (state / "b").read_bytes()
