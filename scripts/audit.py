"""Checks all shipped components for known vulnerabilities: `python -m scripts.audit`.

Fails if a vulnerability is found; one in a development dependency of a npm package is only printed.
If an index does not answer, this is printed and does not fail the check, because a build without
a network is no fault of the code. All indexes are asked at once, none for longer than 50 s.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime import install, paths

_BIN = Path(sys.executable).parent
_PYTHON = ("requirements/runtime.txt", "requirements/local.txt")
_NPM = ("n8n-node", "node-catalog-sync", "rehearsal-proxy")
_TIMEOUT_S = 50


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of the query about one lock file; ``reason`` states why the query failed.

    ``unshipped`` are vulnerabilities of what only develops or tests the package.
    """

    name: str
    vulnerabilities: tuple[str, ...] = ()
    unshipped: tuple[str, ...] = ()
    reason: str = ""


def main() -> int:
    """Check every lock file; return 1 if a vulnerability is found."""
    asks = [*((audit_python, name) for name in _PYTHON), *((audit_npm, name) for name in _NPM)]
    with ThreadPoolExecutor(len(asks)) as pool:
        audits = [*pool.map(lambda ask: ask[0](ask[1]), asks)]
    for audit in audits:
        print(describe(audit))
    return 1 if any(audit.vulnerabilities for audit in audits) else 0


def describe(audit: Audit) -> str:
    """Return one line for the result of a lock file, and one for each vulnerability."""
    if audit.reason:
        return f"{audit.name}: NOT CHECKED, the index gives no answer: {audit.reason}"
    state = "vulnerable" if audit.vulnerabilities else "no known vulnerability in what is shipped"
    tools = (f"not shipped: {line}" for line in audit.unshipped)
    return "\n".join(
        (f"{audit.name}: {state}", *(f"  {line}" for line in (*audit.vulnerabilities, *tools)))
    )


def audit_python(requirements: str) -> Audit:
    """Query OSV, or the server in GROUNDED_OSV_URL, about a lock file with hashes."""
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
            f"{package['name']} {package['version']}: {vuln['id']},"
            f" fixed in {', '.join(vuln['fix_versions']) or 'no version'}"
            for package in answer["dependencies"]
            for vuln in package.get("vulns", ())
        ),
    )


def audit_npm(folder: str) -> Audit:
    """Query npm's configured registry about a package's lock file."""
    sent = _run("npm", "audit", "--package-lock-only", "--json", cwd=paths.ROOT / folder)
    answer = _json(sent.stdout)
    if not isinstance(answer, dict) or "vulnerabilities" not in answer:
        message = answer.get("message") if isinstance(answer, dict) else None
        return Audit(folder, reason=str(message or _last_line(sent.stderr)))
    packages = json.loads((paths.ROOT / folder / "package-lock.json").read_bytes())["packages"]
    shipped: list[str] = []
    unshipped: list[str] = []
    for row in answer["vulnerabilities"].values():
        places = [packages.get(place, {}) for place in row["nodes"]]
        is_tool = all(place.get("dev") or place.get("peer") for place in places) and places
        (unshipped if is_tool else shipped).append(
            f"{row['name']} {row['range']}: {row['severity']}"
        )
    return Audit(folder, tuple(shipped), tuple(unshipped))


def _run(*command: str, cwd: Path = paths.ROOT) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, "PATH": install.path_with_node()},
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"nothing came in {_TIMEOUT_S} s")


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
