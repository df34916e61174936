"""Builds the n8n package of this checkout and installs it into the folder of an n8n."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from runtime import install, paths

NAME = "n8n-nodes-grounded-builder"
NODE_TYPE = f"{NAME}.groundedBuilder"
CREDENTIAL_TYPE = "groundedBuilderApi"

_BUILD_DEADLINE_S = 300
_SOURCES = ("package.json", "tsconfig.json", "nodes", "credentials", "icons")
_SHIPPED = ("package.json", "dist")
_STAMP = ".grounded-builder"


def provide(user_folder: Path) -> bool:
    """Installs the built package for the n8n of `user_folder`; returns whether anything changed.

    A running n8n must be restarted to load a change.
    """
    source = _build_package()
    home = user_folder / ".n8n" / "nodes" / "node_modules" / NAME
    stamp = home / _STAMP
    key = (source / "node_modules" / _STAMP).read_text()
    if stamp.exists() and stamp.read_text() == key:
        return False
    partial = home.with_name(f".{NAME}.{os.getpid()}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    for name in _SHIPPED:
        _copy(source / name, partial / name)
    (partial / _STAMP).write_text(key)
    shutil.rmtree(home, ignore_errors=True)
    partial.rename(home)
    return True


def _build_package() -> Path:
    """Builds the package if its sources have changed, and returns its folder."""
    folder = paths.N8N_NODE
    install.install_tools(folder)
    # Outside `dist`, which the package's own tests build again from the same sources.
    stamp = folder / "node_modules" / _STAMP
    key = _key(folder)
    lock = paths.ROOT / ".state" / ".n8n-package.lock"
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        fresh = stamp.exists() and stamp.read_text() == key
        if not fresh or not (folder / "dist").is_dir():
            _build(folder)
            stamp.write_text(key)
    return folder


def _build(folder: Path) -> None:
    done = subprocess.run(
        [*install.npm(), "run", "build"],
        cwd=folder,
        env={**os.environ, "PATH": install.path_with_node()},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_BUILD_DEADLINE_S,
    )
    if done.returncode != 0:
        raise SystemExit(
            f"`npm run build` in {folder} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        )


def _key(folder: Path) -> str:
    digest = hashlib.sha256()
    for name in _SOURCES:
        place = folder / name
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for file in files:
            if file.is_file():
                digest.update(f"{file.relative_to(folder)}\n".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)
