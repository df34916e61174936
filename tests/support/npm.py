"""Unpacks packages of the npm registry in the shared cache, without running their scripts."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

from runtime import install, paths

_DEADLINE_S = 400


def unpack_package(name: str, version: str) -> Path:
    """Returns the folder of a published package, which is fetched once and never run."""
    home = paths.cache() / "npm" / f"{name.replace('/', '+')}-{version}"
    package = home / "package"
    home.parent.mkdir(parents=True, exist_ok=True)
    with (home.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not package.is_dir():
            _fetch(name, version, home)
    return package


def _fetch(name: str, version: str, home: Path) -> None:
    partial = home.with_name(f".{home.name}.{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    subprocess.run(
        ["npm", "pack", f"{name}@{version}", "--ignore-scripts", "--silent"],
        cwd=partial,
        check=True,
        timeout=_DEADLINE_S,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **install.machine_config()},
    )
    for archive in partial.glob("*.tgz"):
        with tarfile.open(archive) as content:
            # Python 3.11.2 does not have extraction filters yet.
            safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            content.extractall(partial, **safely)  # type: ignore[arg-type]  # noqa: S202 - npm packed it
        archive.unlink()
    shutil.rmtree(home, ignore_errors=True)
    partial.rename(home)
