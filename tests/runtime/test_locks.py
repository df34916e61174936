"""Installed packages are pinned, and no lock file names a registry."""

from __future__ import annotations

import re
import subprocess
import tomllib
from fnmatch import fnmatch

import pytest

from runtime.paths import ROOT

_REQUIREMENTS = sorted(path.name for path in (ROOT / "requirements").glob("*.txt"))


def _list_tracked(pattern: str) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return listed.stdout.splitlines()


@pytest.mark.parametrize("name", _REQUIREMENTS)
def test_every_requirement_has_a_hash(name: str) -> None:
    """Each requirement is one exact version followed by at least one SHA-256, and no address."""
    text = (ROOT / "requirements" / name).read_text()
    assert "://" not in text
    assert "--index" not in text
    for entry in text.replace("\\\n", " ").splitlines():
        if entry.strip() and not entry.startswith("#"):
            assert re.match(r"[\w.\[\],-]+==[\w.!+-]+( ;[^#]*?)?\s+--hash=sha256:", entry), entry


def test_npm_locks_name_no_host() -> None:
    """package-lock.json files carry integrity hashes and no download address."""
    locks = _list_tracked("*package-lock.json")
    assert locks
    for lock in locks:
        text = (ROOT / lock).read_text()
        assert '"resolved": "http' not in text, lock
        assert '"integrity"' in text, lock


def test_runtime_is_part_of_dev() -> None:
    """Every pin of the runtime is also a pin for development."""
    pins = [
        set(
            re.findall(
                r"^[\w.\[\]-]+==\S+", (ROOT / "requirements" / name).read_text(), re.MULTILINE
            )
        )
        for name in ("runtime.txt", "dev.txt")
    ]
    assert pins[0] <= pins[1]


def test_every_dependency_has_a_reason() -> None:
    """docs/dependencies.md names what pyproject.toml and the locks of their own ask for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(name for extra in project["project"]["optional-dependencies"].values() for name in extra),
    ]
    for lock in set(_REQUIREMENTS) - {"runtime.txt", "dev.txt"}:
        lines = (ROOT / "requirements" / lock).read_text("utf-8").splitlines()
        asked += [line for line in lines if re.match(r"[\w-]+==", line)]
    names = {re.split(r"[\[<>=~!; ]", line)[0].lower().replace("_", "-") for line in asked}
    page = (ROOT / "docs" / "dependencies.md").read_text("utf-8")
    rows = re.findall(r"^\| ([^|]+?) \| [^|]*\w[^|]* \|$", page, re.MULTILINE)
    listed = [name.lower().replace("_", "-") for row in rows for name in row.split(", ")]
    assert len(names) > 50
    missing = [name for name in names if not any(fnmatch(name, known) for known in listed)]
    assert not missing, f"docs/dependencies.md says nothing of {', '.join(sorted(missing))}"
