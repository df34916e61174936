"""Installs Node and n8n into the shared cache, unless they are already there."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime import paths

_HEARTBEAT_S = 30.0
_DEADLINE_S = 1800.0
_QUIET = ("--no-audit", "--no-fund", "--no-progress", "--loglevel=error")


def install() -> None:
    """Installs what is missing; safe to run from several checkouts at once."""
    if not os.environ.get("GROUNDED_NODE"):
        install_node()
    if not os.environ.get("GROUNDED_N8N_DIR"):
        install_n8n()
    for package in (paths.SYNC, paths.N8N_NODE, paths.REHEARSAL_PROXY):
        install_tools(package)


def install_node() -> None:
    """Installs Node from its npm package and verifies it against the committed lock file."""
    home = paths.node_home()
    if (home / "bin" / "node").exists():
        return
    with sole(home.parent):
        if (home / "bin" / "node").exists():
            return
        print(f"installing Node {paths.node_version()} into {home}", flush=True)
        with partial(home) as work:
            _copy_manifest(paths.NODE_MANIFEST, work)
            npm = [*_npm("node"), "install", "--ignore-scripts", "--prefer-offline", *_QUIET]
            _run(npm, work, os.environ.copy())
            (work / "node_modules" / paths.node_package()).rename(home)


def install_n8n() -> None:
    """Installs n8n from its lock file: no install scripts, then only sqlite3 is compiled.

    The other native packages of n8n are optional to what it does here, and their install
    scripts download prebuilt binaries.
    """
    home = paths.n8n_home()
    if home.exists():
        return
    with sole(home.parent):
        if home.exists():
            return
        print(f"installing n8n {paths.n8n_version()} into {home}", flush=True)
        node_home = paths.node_home()
        env = os.environ.copy()
        env["PATH"] = path_with_node()
        env["npm_config_nodedir"] = str(node_home)
        with partial(home) as work:
            _copy_manifest(paths.N8N_MANIFEST, work)
            _run([*npm(), "install", "--ignore-scripts", "--prefer-offline", *_QUIET], work, env)
            _run([*npm(), "rebuild", "sqlite3", *_QUIET], work, env)
            work.rename(home)


def install_tools(package: Path) -> None:
    """Installs the test dependencies of a Node package of this checkout from its lock file."""
    lock = package / "package-lock.json"
    if not lock.exists():
        return
    stamp = package / "node_modules" / ".stamp"
    key = hashlib.sha256(lock.read_bytes()).hexdigest()
    if _holds(stamp, key):
        return
    with sole(paths.ROOT / ".state"):
        if _holds(stamp, key):
            return
        print(f"installing the tools of {package.name}", flush=True)
        # `npm ci` refuses a lock file that lacks the packages of other platforms.
        command = [*npm(), "install", "--no-save", "--ignore-scripts", *_QUIET]
        try:
            _run([*command, "--prefer-offline"], package, os.environ.copy())
        except SystemExit:
            # npm's cache may list the versions of a package as they were before this one.
            _run(command, package, os.environ.copy())
        stamp.write_text(key)


def npm() -> list[str]:
    """Returns the command that runs npm with the Node that runs n8n."""
    return _npm(str(paths.node()))


def machine_config() -> dict[str, str]:
    """Returns the environment that makes npm read the machine's settings under another Node."""
    own = shutil.which("npm")
    if own is None:
        return {}
    # The Node beside it; the first on PATH may be the one that this module installed.
    beside = Path(own).parent / "node"
    command = [str(beside), str(Path(own).resolve())] if beside.exists() else [own]
    asked = subprocess.run(
        [*command, "config", "get", "globalconfig"],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    file = asked.stdout.strip()
    return {"npm_config_globalconfig": file} if file and Path(file).is_file() else {}


def path_with_node() -> str:
    """Returns a PATH on which the Node that runs n8n comes first."""
    return f"{paths.node_home() / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def _holds(stamp: Path, key: str) -> bool:
    return stamp.exists() and stamp.read_text() == key


def _npm(node: str) -> list[str]:
    which = shutil.which("npm")
    if which is None:
        raise SystemExit("npm is missing: install it, then run the setup again")
    return [node, str(Path(which).resolve())]


def _copy_manifest(source: Path, work: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, work / name)


@contextmanager
def sole(folder: Path) -> Iterator[None]:
    """Locks a folder, so that parallel set-ups install once."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another setup that installs into {folder}", flush=True)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextmanager
def partial(home: Path) -> Iterator[Path]:
    """Yields an empty folder beside `home`, and removes it afterwards if it still exists."""
    work = home.parent / f".partial-{home.name}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run(command: list[str], work: Path, env: dict[str, str]) -> None:
    """Runs a long command with its output in a log, a progress message and a deadline."""
    folder = paths.ROOT / ".state" if work.is_relative_to(paths.ROOT) else work.parent
    log = folder / f"install-{work.name.removeprefix('.partial-')}.log"
    started = time.monotonic()
    env = {**machine_config(), **env}
    with log.open("wb") as out:
        child = subprocess.Popen(
            command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out
        )
        while True:
            try:
                code = child.wait(_HEARTBEAT_S)
                break
            except subprocess.TimeoutExpired:
                spent = time.monotonic() - started
                print(f"  still running after {spent:.0f} s: {command[2]}", flush=True)
                if spent > _DEADLINE_S:
                    child.kill()
                    code = child.wait()
                    break
    if code != 0:
        # npm prints the error first and its usage last.
        text = "\n".join(log.read_text(errors="replace").splitlines()[:30])
        raise SystemExit(f"`npm {' '.join(command[2:])}` ended with {code}; {log} says:\n{text}")


if __name__ == "__main__":
    install()
