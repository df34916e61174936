"""The installer, with an npm that only records its arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runtime import paths
from tests.support.time_bounds import PATIENCE_S

_NPM = """\
#!/usr/bin/env node
if (process.argv[2] === 'config') process.exit(0);
const fs = require('node:fs');
fs.appendFileSync(process.env.CALLS, process.argv.slice(2).join(' ') + '\\n');
if (process.env.NPM_FAILS) { console.error('registry is on fire'); process.exit(7); }
fs.mkdirSync('node_modules/n8n/bin', { recursive: true });
"""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """An empty cache, and a PATH whose npm is the one above."""
    (tmp_path / "bin").mkdir()
    npm = tmp_path / "bin" / "npm"
    npm.write_text(_NPM)
    npm.chmod(0o755)
    return {
        "PATH": f"{tmp_path / 'bin'}:{paths.node_home() / 'bin'}:/usr/bin:/bin",
        "GROUNDED_CACHE": str(tmp_path / "cache"),
        "GROUNDED_NODE": str(paths.node()),
        "CALLS": str(tmp_path / "calls"),
    }


def test_parallel_setups_install_once(env: dict[str, str], tmp_path: Path) -> None:
    """Four setups at once ask npm once and all end well, with nothing partial left."""
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: _install(env), range(4)))
    assert [d.returncode for d in done] == [0, 0, 0, 0], done
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.split()[:2] for call in calls] == [
        ["install", "--ignore-scripts"],
        ["rebuild", "sqlite3"],
    ]
    assert _folders(tmp_path) == [paths.n8n_home().name]


def test_a_failed_install_leaves_nothing_and_shows_why(env: dict[str, str], tmp_path: Path) -> None:
    """npm's own words are shown, no half of n8n stays, and the next setup starts again."""
    failed = _install({**env, "NPM_FAILS": "1"})
    assert failed.returncode == 1
    assert "ended with 7" in failed.stderr
    assert "registry is on fire" in failed.stderr
    assert _folders(tmp_path) == []
    assert _install(env).returncode == 0
    assert _folders(tmp_path) == [paths.n8n_home().name]


def _install(env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runtime.install"],
        cwd=paths.ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def _folders(tmp_path: Path) -> list[str]:
    return sorted(p.name for p in (tmp_path / "cache" / "n8n").iterdir() if p.is_dir())


def test_the_cache_is_shared_by_checkouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache folder follows GROUNDED_CACHE, then XDG_CACHE_HOME, then the home folder."""
    monkeypatch.setenv("GROUNDED_CACHE", "/a")
    monkeypatch.setenv("XDG_CACHE_HOME", "/b")
    monkeypatch.setenv("HOME", "/c")
    assert paths.cache() == Path("/a")
    monkeypatch.delenv("GROUNDED_CACHE")
    assert paths.cache() == Path("/b/grounded-builder")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert paths.cache() == Path("/c/.cache/grounded-builder")
    assert os.environ["HOME"] == "/c"
