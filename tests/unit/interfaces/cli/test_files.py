"""Which files a command is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.files import find


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("a.json", "deep/b.json", "deep/c.txt", ".git/d.json", "node_modules/e.json"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("{}")
    return tmp_path


def names(tree: Path, *words: str) -> list[str]:
    return [item.path.relative_to(tree).as_posix() for item in find([str(tree / w) for w in words])]


def test_folders_give_their_documents_once(tree: Path) -> None:
    """Hidden folders and installed packages are no part of a repository's own files."""
    assert names(tree, ".") == ["a.json", "deep/b.json"]
    assert names(tree, "deep/c.txt", "deep", ".") == ["deep/c.txt", "deep/b.json", "a.json"]


def test_patterns_are_expanded(tree: Path) -> None:
    """A quoted pattern works as it would in a shell that knows two stars."""
    assert names(tree, "**/*.json") == ["a.json", "deep/b.json", "node_modules/e.json"]
    assert names(tree, "d*") == ["deep/b.json"]


def test_links_that_lead_back_are_walked_once(tree: Path) -> None:
    """A loop of links ends; a file behind a link is found."""
    (tree / "deep" / "up").symlink_to(tree, target_is_directory=True)
    (tree / "deep" / "self").symlink_to(tree / "deep" / "self")
    (tree / "dead.json").symlink_to(tree / "absent.json")
    assert names(tree, ".") == ["a.json", "deep/b.json"]


@pytest.mark.parametrize("word", ["absent.json", "*.yaml", ".git/absent"])
def test_argument_without_files_is_refused(word: str, tree: Path) -> None:
    """An argument that names no file is an error, not a clean result."""
    with pytest.raises(UnusableError, match="no "):
        find([str(tree / word)])
