"""Asks whether anything that is shipped has a known vulnerability: `python -m scripts.audit`.

Fails where one is found. Where an index cannot be reached it says so and does not fail: what was
not asked is not clean, and a build without a network is no fault of the code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime import install, paths

_BIN = Path(sys.executable).parent
_PYTHON = ("requirements/runtime.txt", "requirements/local.txt")
_NPM = ("n8n-node", "node-catalog-sync")
_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True)
class Audit:
    """What became of asking about one lock file; ``reason`` says why it could not be asked."""

    name: str
    vulnerabilities: tuple[str, ...] = ()
    reason: str = ""


def main() -> int:
    """Ask about every lock file; 1 where a vulnerability is found."""
    audits = [*map(audit_python, _PYTHON), *map(audit_npm, _NPM)]
    for audit in audits:
        print(describe(audit))
    return 1 if any(audit.vulnerabilities for audit in audits) else 0


def describe(audit: Audit) -> str:
    """Return one line for what was not asked or is clean, one more for each vulnerability."""
    if audit.reason:
        return f"{audit.name}: NOT CHECKED, the index cannot be reached: {audit.reason}"
    if not audit.vulnerabilities:
        return f"{audit.name}: no known vulnerability"
    return "\n".join((f"{audit.name}: vulnerable", *(f"  {one}" for one in audit.vulnerabilities)))


def audit_python(requirements: str) -> Audit:
    """Ask OSV about a lock file with hashes; GROUNDED_OSV_URL names another server of its kind."""
    url = os.environ.get("GROUNDED_OSV_URL")
    sent = _run(
        *(str(_BIN / "pip-audit"), "-r", requirements, "--disable-pip", "--require-hashes"),
        *("--vulnerability-service", "osv", "--format", "json", "--progress-spinner", "off"),
        *(("--osv-url", url) if url else ()),
    )
    answer = _json(sent.stdout)
    if not isinstance(answer, dict) or "dependencies" not in answer:
        return Audit(requirements, reason=_last_line(sent.stderr))
    return Audit(
        requirements,
        tuple(
            f"{package['name']} {package['version']}: {one['id']},"
            f" fixed in {', '.join(one['fix_versions']) or 'no version'}"
            for package in answer["dependencies"]
            for one in package.get("vulns", ())
        ),
    )


def audit_npm(folder: str) -> Audit:
    """Ask the registry that npm is set to about a package's lock file."""
    sent = _run("npm", "audit", "--package-lock-only", "--json", cwd=paths.ROOT / folder)
    answer = _json(sent.stdout)
    if not isinstance(answer, dict) or "vulnerabilities" not in answer:
        message = answer.get("message") if isinstance(answer, dict) else None
        return Audit(folder, reason=str(message or _last_line(sent.stderr)))
    found = answer["vulnerabilities"].values()
    return Audit(folder, tuple(f"{one['name']} {one['range']}: {one['severity']}" for one in found))


def _run(*command: str, cwd: Path = paths.ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PATH": install.path_with_node()},
        capture_output=True,
        text=True,
        check=False,
        timeout=_TIMEOUT_S,
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def _last_line(text: str) -> str:
    lines: Sequence[str] = text.strip().splitlines() or ["no answer"]
    return lines[-1][:300]


if __name__ == "__main__":
    sys.exit(main())
