"""Starts a sidecar with rehearsals for the conversations of cases, and finds it again."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import requests

from evals.cases.talk import Address
from runtime import paths
from runtime.child import Child, spawn, tail
from runtime.ports import free_port
from runtime.sidecar_server import grounded
from tests.support.n8n_server import provide_catalog

_DESCRIPTOR = "cases-sidecar.json"
_START_S = 120.0
_POLL_S = 0.1
_TIMEOUT_S = 240
# A reply may be hours away.
_TALK_S = "86400"


def start_sidecar(state: Path) -> Address:
    """Returns the sidecar of a state folder, started with the catalog of the installed n8n."""
    state = state.absolute()
    running = find_sidecar(state)
    if running is not None:
        return running
    port = free_port(None)
    log = state / "sidecar.log"
    # The program is that of this checkout, whichever the environment has installed.
    own = f"PYTHONPATH={paths.ROOT / 'sidecar'}"
    command = ["env", own, grounded(), "serve", "--port", str(port)]
    child = spawn(command, {**os.environ, **_environment(state)}, log)
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + _START_S
    while not _is_healthy(url):
        if not child.alive() or time.monotonic() > deadline:
            child.stop()
            raise SystemExit(f"the sidecar does not start; {log} ends:\n{tail(log)}")
        time.sleep(_POLL_S)
    facts = {"url": url, "pid": child.pid, "born": child.born}
    (state / _DESCRIPTOR).write_text(json.dumps(facts))
    address = Address(url, (state / "token").read_text().strip())
    sent = requests.put(
        f"{url}/v1/n8n/catalog",
        data=provide_catalog().read_bytes(),
        headers={"Authorization": f"Bearer {address.token}"},
        timeout=_TIMEOUT_S,
    )
    if not sent.ok:
        raise SystemExit(f"the sidecar does not take the catalog: {sent.text[:500]}")
    return address


def find_sidecar(state: Path) -> Address | None:
    """Returns the running sidecar of a state folder, None if there is none."""
    path = state.absolute() / _DESCRIPTOR
    if not path.exists():
        return None
    facts = json.loads(path.read_text())
    if not Child(facts["pid"], facts["born"]).alive():
        return None
    return Address(facts["url"], (state / "token").read_text().strip())


def stop_sidecar(state: Path) -> None:
    """Ends the sidecar of a state folder, if it runs."""
    path = state.absolute() / _DESCRIPTOR
    if path.exists():
        facts = json.loads(path.read_text())
        Child(facts["pid"], facts["born"]).stop()
        path.unlink()


def _environment(state: Path) -> dict[str, str]:
    return {
        "GROUNDED_STATE": str(state),
        "GROUNDED_TALK_SECONDS": _TALK_S,
        "GROUNDED_REHEARSAL_NODE": str(paths.node()),
        "GROUNDED_REHEARSAL_N8N": str(paths.n8n_bin()),
        "GROUNDED_REHEARSAL_PROXY": str(paths.REHEARSAL_PROXY / "src" / "proxy.js"),
    }


def _is_healthy(url: str) -> bool:
    try:
        return requests.get(f"{url}/healthz", timeout=5).ok
    except requests.RequestException:
        return False
