"""Runs the command line as a program, over a state folder with the invented catalog."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.support import catalogs
from tests.support.forked_cli import can_fork, forker
from tests.support.time_bounds import PATIENCE_S

PROGRAM = "from grounded_builder.interfaces.cli import main; main()"


def make_acme_state(folder: Path) -> Path:
    """Loads the invented catalog into a state folder; returns the folder."""
    file = folder / "acme.jsonl"
    file.write_bytes(catalogs.acme_bytes())
    loaded = run(folder, "catalog", "load", str(file))
    assert loaded.returncode == 0, loaded.stderr
    return folder


def run(
    state: Path,
    *arguments: str,
    given: bytes = b"",
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Runs ``grounded`` with these arguments, without any other setting of this process."""
    entries = {key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")}
    environ = {**entries, "GROUNDED_STATE": str(state), **(env or {})}
    if can_fork(environ):
        return forker(PATIENCE_S).run(arguments, given, cwd, environ)
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        input=given,
        capture_output=True,
        cwd=cwd,
        env=environ,
        timeout=PATIENCE_S,
        check=False,
    )
