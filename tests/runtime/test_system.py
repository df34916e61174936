"""The system packages that a fresh machine gets."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.paths import ROOT
from tests.support.time_bounds import PATIENCE_S

_TOOLS = ("make", "git", "gcc", "g++", "flock", "node", "npm", "redis-server")
_APT = '#!/bin/sh\necho "$@" >> "$CALLS"\n'


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A PATH folder with everything a machine needs, and an apt-get that writes itself down."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for tool in (*_TOOLS, "bash", "sh", "id"):
        which = shutil.which(tool)
        assert which is not None, tool
        (bin_folder / tool).symlink_to(which)
    python = Path(sys.executable).resolve()
    for name, script in (("apt-get", _APT), ("python3", f'#!/bin/sh\nexec {python} "$@"\n')):
        (bin_folder / name).write_text(script)
        (bin_folder / name).chmod(0o755)
    return bin_folder


def test_complete_system_installs_no_package(machine: Path) -> None:
    """On a complete machine apt-get is not even asked."""
    done = _system(machine)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (machine / "calls").exists()


def test_only_what_is_missing_is_installed(machine: Path) -> None:
    """A missing compiler and npm are installed, without what they merely recommend."""
    (machine / "g++").unlink()
    (machine / "npm").unlink()
    done = _system(machine)
    assert done.returncode == 0, done.stderr
    calls = (machine / "calls").read_text().splitlines()
    assert calls[0].startswith("update")
    assert calls[1].split()[0] == "install"
    assert "--no-install-recommends" in calls[1]
    assert calls[1].split()[-2:] == ["g++", "npm"]


def test_without_apt_the_missing_are_named(machine: Path) -> None:
    """If nothing can be installed, the setup names the missing packages and stops."""
    (machine / "apt-get").unlink()
    (machine / "git").unlink()
    done = _system(machine)
    assert done.returncode == 1
    assert "missing on this machine: git" in done.stderr


def _system(machine: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(machine / "bash"), str(ROOT / "scripts" / "system.sh")],
        cwd=machine,
        env={"PATH": str(machine), "CALLS": str(machine / "calls")},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
