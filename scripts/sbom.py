"""Writes CycloneDX 1.5 documents of the shipped components, and a page of their licences.

`python -m scripts.sbom [FOLDER]`: the wheel with what it needs, which the sidecar's image holds,
and both npm packages; each by the tool of its package manager, from lock files, without a registry.
n8n has none here: its lock file holds peers that do not agree, which `npm sbom` refuses.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from runtime import install, paths

_BIN = Path(sys.executable).parent
_RUNTIME = paths.ROOT / "requirements" / "runtime.txt"
_NPM = {
    "n8n-nodes-grounded-builder": "n8n-node",
    "node-catalog-sync": "node-catalog-sync",
    "rehearsal-proxy": "rehearsal-proxy",
}
LICENCES = paths.ROOT / "docs" / "licences.md"
_HEAD = """\
# Licences

This page lists the packages that the sidecar needs at run time, with their licences; `make sbom`
writes it. The npm packages of this project need only the Node that runs n8n, except
`rehearsal-proxy`, which needs mockttp, PGlite with pgvector (both Apache-2.0), smtp-server (MIT-0)
and mailparser (MIT). n8n is installed separately, under its Sustainable Use License, and is not
shipped.

Third-party data: the secret patterns in `redaction/secret_patterns.json` of the sidecar are derived
from the rules of gitleaks 8.30.1 (MIT). Its licence is in the same folder (`gitleaks-LICENSE.txt`).

"""


def main(arguments: Sequence[str]) -> int:
    """Write all documents below a folder, by default `.state/sbom`, and the page of licences."""
    folder = Path(arguments[0]) if arguments else paths.ROOT / ".state" / "sbom"
    folder.mkdir(parents=True, exist_ok=True)
    for path in write_documents(folder):
        print(path)
    LICENCES.write_text(list_licences(), "utf-8")
    print(LICENCES)
    return 0


def write_documents(folder: Path) -> list[Path]:
    """Write the documents and return their paths; raise CalledProcessError if a tool fails."""
    wheel = folder / "wheel.cdx.json"
    _run(
        *(_BIN / "cyclonedx-py", "requirements", _RUNTIME, "--pyproject", "pyproject.toml"),
        *("--spec-version", "1.5", "--output-reproducible", "--of", "JSON", "-o", wheel),
    )
    written = [wheel]
    for name, package in _NPM.items():
        sent = _run(
            *("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"),
            *("--omit", "dev", "--omit", "peer"),
            cwd=paths.ROOT / package,
        )
        path = folder / f"{name}.cdx.json"
        path.write_text(sent, "utf-8")
        written.append(path)
    return written


def list_licences() -> str:
    """Return the page: version and licence of every package of the run-time lock file."""
    names = [
        line.split("==")[0]
        for line in _RUNTIME.read_text("utf-8").splitlines()
        if "==" in line and not line.startswith(" ")
    ]
    sent = _run(_BIN / "pip-licenses", "--format=json", "--from=mixed", "--packages", *names)
    rows = sorted((row["Name"].lower(), row["License"], row["Version"]) for row in json.loads(sent))
    shown = "".join(f"| {name} | {version} | {licence} |\n" for name, licence, version in rows)
    return f"{_HEAD}| package | version | licence |\n|---|---|---|\n{shown}"


def _run(*command: str | Path, cwd: Path = paths.ROOT) -> str:
    env = {**os.environ, "PATH": install.path_with_node()}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
