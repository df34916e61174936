"""The lint configuration of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.domains.rules import BY_CODE
from grounded_builder.interfaces.cli.lint.configuration import (
    ConfigurationError,
    find_configuration,
    read_configuration,
)

GOOD = """
ignore = ["N8N302", "info"]
exclude = ["drafts/", "*.tmp.json"]
baseline = "accepted.json"
fail-on = "wrong"
catalog = "catalog.jsonl"
[per-file-ignores]
"legacy/**" = ["deprecated-tool"]
"""


def test_every_key_is_read(tmp_path: Path) -> None:
    """Rules, patterns and paths count from the folder of the file."""
    (tmp_path / "grounded.toml").write_text(GOOD)
    below = tmp_path / "flows" / "deep"
    below.mkdir(parents=True)
    read = find_configuration(below)
    assert read.root == tmp_path
    assert (read.baseline, read.fail_on) == (tmp_path / "accepted.json", "wrong")
    assert read.catalog == "catalog.jsonl"
    assert BY_CODE["N8N302"] in read.ignore
    assert BY_CODE["GB102"] in read.ignore
    assert BY_CODE["N8N331"] not in read.ignores(tmp_path / "flows" / "a.json")
    assert BY_CODE["N8N331"] in read.ignores(tmp_path / "legacy" / "x" / "a.json")
    assert read.excludes(tmp_path / "flows" / "drafts" / "a.json")
    assert read.excludes(tmp_path / "a.tmp.json")
    assert not read.excludes(tmp_path / "flows" / "a.json")


def test_a_project_file_has_a_table_for_it(tmp_path: Path) -> None:
    """``[tool.grounded]`` of pyproject.toml counts; a project without it is passed by."""
    (tmp_path / "grounded.toml").write_text('fail-on = "never"')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert find_configuration(inner).fail_on == "never"
    (inner / "pyproject.toml").write_text("[tool.grounded]\nfail-on = 'advice'\n")
    assert find_configuration(inner).fail_on == "advice"


def test_a_repository_ends_the_search(tmp_path: Path) -> None:
    """Configurations above the folder of a repository are not read."""
    (tmp_path / "grounded.toml").write_text('fail-on = "never"')
    (tmp_path / "mine" / ".git").mkdir(parents=True)
    assert find_configuration(tmp_path / "mine").fail_on == "incomplete"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail-on = 'sometimes'", "fail-on"),
        ("ignore = 'GB203'", "list of texts"),
        ("ignore = ['GB999']", "GB999"),
        ("ignores = []", '"ignores"'),
        ("baseline = 3", "baseline"),
        ("per-file-ignores = []", "per-file-ignores"),
        ("[per-file-ignores]\n'*' = ['near-mis-name']", "near-miss-name"),
        ("= 3", "grounded.toml"),
    ],
)
def test_invalid_configuration_names_key(text: str, message: str, tmp_path: Path) -> None:
    """The error for a wrong key or value names the file, the key and valid values."""
    file = tmp_path / "grounded.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError) as error:
        read_configuration(file)
    assert message in str(error.value)
    assert str(file) in str(error.value)
