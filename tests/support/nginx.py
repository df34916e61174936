"""Runs Debian's nginx with the shipped configuration in front of servers of a test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from runtime.paths import ROOT
from runtime.ports import free_port
from tests.support.loopback import ask
from tests.support.time_bounds import PATIENCE_S, until

TEMPLATE = ROOT / "docker" / "nginx.conf.template"
_NOBODY = "server 127.0.0.1:9 down;"


@contextmanager
def run_nginx(
    folder: Path, sidecars: Sequence[int], n8n: int | None = None, webhooks: int | None = None
) -> Iterator[tuple[str, str]]:
    """Yields the addresses at which an nginx serves the sidecars, and n8n, on these ports."""
    program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.fail("nginx is missing: run `scripts/system.sh scale` as root")
    folder.mkdir(parents=True, exist_ok=True)
    first, second = free_port(), free_port()
    facts = {
        "NGINX_FOLDER": str(folder),
        "NGINX_RESOLVER": "",
        "SIDECAR_SERVERS": " ".join(_server(port) for port in sidecars),
        "N8N_MAIN_SERVERS": _NOBODY if n8n is None else _server(n8n),
        "N8N_WEBHOOK_SERVERS": _NOBODY if webhooks is None else _server(webhooks),
        "SIDECAR_LISTEN": f"127.0.0.1:{first}",
        "N8N_LISTEN": f"127.0.0.1:{second}",
    }
    text = TEMPLATE.read_text()
    for name, value in facts.items():
        text = text.replace(f"${{{name}}}", value)
    assert "${" not in text
    (folder / "nginx.conf").write_text(text)
    more = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
    with (folder / "log").open("wb") as log:
        command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", more]
        started = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{first}"
    try:
        until(lambda: _answers(started, url, folder), "nginx did not start")
        yield url, f"http://127.0.0.1:{second}"
    finally:
        started.send_signal(signal.SIGTERM)
        started.wait(PATIENCE_S)


def _server(port: int) -> str:
    # One error must not exclude a replica for the default of ten seconds.
    return f"server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;"


def _answers(started: subprocess.Popen[bytes], url: str, folder: Path) -> bool:
    assert started.poll() is None, (folder / "log").read_text()
    try:
        ask("GET", f"{url}/healthz", timeout=PATIENCE_S)
    except httpx.TransportError:
        return False
    return True
