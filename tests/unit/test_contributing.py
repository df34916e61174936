"""Follows the worked example of CONTRIBUTING.md in a copy of the tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_HEADING = "## A new diagnostic"
_COPIED = ("sidecar", "tests/golden", "tests/unit/domains", "docs")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a copy of what the example changes, with links to the rest."""
    copy = tmp_path_factory.mktemp("tree")
    for folder in ("tests", "tests/unit"):
        (copy / folder).mkdir()
        for path in (ROOT / folder).iterdir():
            if path.relative_to(ROOT).as_posix() not in (*_COPIED, "tests/unit"):
                (copy / folder / path.name).symlink_to(path)
    for name in _COPIED:
        shutil.copytree(ROOT / name, copy / name)
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, copy)
    for name in ("runtime", "evals"):
        (copy / name).symlink_to(ROOT / name)
    return copy


@pytest.mark.long
def test_a_rule_that_follows_the_text_is_emitted_explained_and_indexed(tree: Path) -> None:
    """The rule finds its fault, and the tests of rules hold for it."""
    for path, kind, text in _blocks((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        _write(tree / path, kind, text)
    _run(tree, "ruff", "check", "--fix", "sidecar/grounded_builder/domains/n8n")
    page = _run(tree, "grounded_builder.interfaces.cli.rule_index")
    (tree / "docs/diagnostics.md").write_text(page, "utf-8")
    assert "| unused-pinned-data | advice |" in page
    files = ("tests/golden", "tests/unit/domains/test_rules.py")
    words = "n8n399 or (test_rules and not every_rule)"
    _run(tree, "pytest", "-q", *files, "-k", words, GROUNDED_UPDATE="1")
    expected = json.loads((tree / "tests/golden/n8n399-absent-node/expected.json").read_bytes())
    places = [(d["code"], d["at"]) for d in expected["diagnostics"]]
    assert places == [("N8N399", "/pinData/Start")]


def _blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """Yields the code of the section: the path above it, the kind of the block, its text."""
    lines = iter(text.splitlines())
    assert any(line == _HEADING for line in lines)
    path = ""
    for line in lines:
        if line.startswith("```"):
            inside = iter(lambda: next(lines), "```")
            yield path, line.removeprefix("```"), "".join(f"{code}\n" for code in inside)
        elif line.startswith("## "):
            return
        elif line.startswith("`") and line.endswith("`") and "/" in line and " " not in line:
            path = line.strip("`")


def _write(path: Path, kind: str, text: str) -> None:
    """Writes a new file, or what a diff changes in one."""
    if kind != "diff":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
        return
    lines = text.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    content = path.read_text("utf-8")
    assert content.count(before) == 1, f"{path.name} does not hold {before!r} once"
    path.write_text(content.replace(before, after), "utf-8")


def _run(tree: Path, module: str, *arguments: str, **environment: str) -> str:
    """Returns what a module of Python prints when it runs in the tree; a failure is shown whole."""
    completed = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "sidecar"), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout
