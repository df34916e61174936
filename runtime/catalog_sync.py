"""Runs node-catalog-sync on the installed n8n."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from runtime import n8n_package, paths

_DEADLINE_S = 180


def to_file(out: Path, user_folder: Path | None = None) -> None:
    """Writes the catalog of the installed n8n to `out`, completely or not at all.

    Without a user folder the catalog has no community packages.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_name(f".{os.getpid()}.{out.name}")
    try:
        with TemporaryDirectory() as empty:
            source = _source(user_folder or Path(empty))
            _run([*source, "--output", str(partial)], {})
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)


def push(url: str, token: str, user_folder: Path) -> None:
    """Sends the catalog of the installed n8n to the sidecar at `url`."""
    _run([*_source(user_folder), "--push", url], {"GROUNDED_TOKEN": token})


def read_command(user_folder: Path) -> str:
    """Returns the command that writes the catalog of the installed n8n to ``catalog.jsonl``.

    The command names the Node that n8n runs with: an older one reads fewer nodes.
    """
    return shlex.join([*_source(user_folder), "--output", "catalog.jsonl"])


def key(user_folder: Path | None = None) -> str:
    """Returns a hash of all that the catalog depends on: n8n, its added packages, the sync."""
    digest = hashlib.sha256(str(paths.n8n_home()).encode())
    for name in ("NODES_EXCLUDE", "NODES_INCLUDE", "N8N_CUSTOM_EXTENSIONS"):
        digest.update(f"{name}={os.environ.get(name)}\n".encode())
    for source in _sync_sources():
        digest.update(f"{source.relative_to(paths.SYNC)}\n".encode())
        digest.update(source.read_bytes())
    if user_folder is not None:
        added = user_folder / ".n8n" / "nodes" / "node_modules"
        manifests = added.glob("**/package.json")
        # The package of this checkout can change without a new version.
        own = (added / n8n_package.NAME).rglob("*.js")
        for file in sorted([*manifests, *own]):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _source(user_folder: Path) -> list[str]:
    place = ["--n8n", str(paths.n8n_home()), "--user-folder", str(user_folder)]
    return [str(paths.node()), str(_script()), *place]


def _script() -> Path:
    manifest = json.loads((paths.SYNC / "package.json").read_text())
    named = manifest["bin"]
    return paths.SYNC / (named if isinstance(named, str) else named["node-catalog-sync"])


def _sync_sources() -> list[Path]:
    results = [
        path
        for folder in ("bin", "src", "lib")
        for path in (paths.SYNC / folder).rglob("*")
        if path.is_file()
    ]
    return sorted([*results, paths.SYNC / "package.json", paths.SYNC / "package-lock.json"])


def _run(command: list[str], extra_env: dict[str, str]) -> None:
    env = {**os.environ, **extra_env}
    done = subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, check=False, timeout=_DEADLINE_S
    )
    if done.returncode != 0:
        shown = " ".join(command[1:])
        raise SystemExit(f"`node {shown}` ended with {done.returncode}, see above")
