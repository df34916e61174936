"""The entry scripts of the images, run in an environment that holds only what they are given."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from runtime import paths
from runtime.child import Child, spawn, tail
from runtime.ports import free_port
from tests.support.time_bounds import PATIENCE_S, until

_DOCKER = paths.ROOT / "docker"
_PATH = f"{Path(sys.executable).parent}:{paths.node_home() / 'bin'}:/usr/bin:/bin"
_OWNER = {"N8N_OWNER_EMAIL": "owner@example.org", "N8N_OWNER_PASSWORD": "Secret-123"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("entry")


@pytest.fixture(scope="module")
def n8n_url(folder: Path, n8n_dir: Path) -> Iterator[str]:
    """n8n as its container starts it, healthy by its container's own check."""
    port = free_port()
    child = _entry(
        "n8n-entry.sh",
        folder / "n8n.log",
        {
            **_OWNER,
            "GROUNDED_N8N_DIR": str(n8n_dir),
            "N8N_ENCRYPTION_KEY": "0123456789abcdef",
            "N8N_USER_FOLDER": str(folder / "n8n"),
            "N8N_LISTEN_ADDRESS": "127.0.0.1",
            "N8N_PORT": str(port),
            "N8N_RUNNERS_BROKER_PORT": str(free_port()),
        },
    )
    url = f"http://127.0.0.1:{port}"
    try:
        check = [str(paths.node()), str(_DOCKER / "health.mjs"), f"{url}/rest/login", "401"]
        _until(lambda: _exits_0(check), child, folder / "n8n.log")
        yield url
    finally:
        child.stop()


@pytest.fixture(scope="module")
def sidecar_url(folder: Path, n8n_url: str) -> Iterator[str]:
    """The sidecar as its container starts it, with an API key it made for itself."""
    port = free_port()
    child = _entry(
        "sidecar-entry.sh",
        folder / "sidecar.log",
        {
            **_OWNER,
            "GROUNDED_N8N_URL": n8n_url,
            "GROUNDED_STATE": str(folder / "sidecar"),
            "GROUNDED_TOKEN_COPY": str(folder / "token"),
            "GROUNDED_HOST": "127.0.0.1",
            "GROUNDED_PORT": str(port),
        },
    )
    url = f"http://127.0.0.1:{port}"
    try:
        check = [sys.executable, str(_DOCKER / "health.py"), f"{url}/healthz"]
        _until(lambda: _exits_0(check), child, folder / "sidecar.log")
        yield url
    finally:
        child.stop()


def test_owner_can_log_in(n8n_url: str) -> None:
    """The owner named by the environment logs in with the password given there."""
    answer = requests.post(
        f"{n8n_url}/rest/login",
        json={
            "emailOrLdapLoginId": _OWNER["N8N_OWNER_EMAIL"],
            "password": _OWNER["N8N_OWNER_PASSWORD"],
        },
        timeout=PATIENCE_S,
    )
    assert answer.status_code == 200, answer.text


def test_sidecar_makes_a_key_that_n8n_accepts(folder: Path, sidecar_url: str, n8n_url: str) -> None:
    """Without GROUNDED_N8N_API_KEY the sidecar creates a key that only its user can read."""
    path = folder / "sidecar" / "n8n-api-key"
    assert path.stat().st_mode & 0o777 == 0o600
    answer = requests.get(
        f"{n8n_url}/api/v1/workflows",
        headers={"X-N8N-API-KEY": path.read_text()},
        timeout=PATIENCE_S,
    )
    assert answer.status_code == 200


def test_sync_makes_the_sidecar_ready(
    folder: Path, sidecar_url: str, n8n_url: str, n8n_dir: Path
) -> None:
    """The one-shot sync ends with 0 and the sidecar then has a catalog."""
    assert requests.get(f"{sidecar_url}/readyz", timeout=PATIENCE_S).status_code == 503
    done = subprocess.run(
        [str(_DOCKER / "sync-entry.sh")],
        env={
            "PATH": _PATH,
            "GROUNDED_URL": sidecar_url,
            "GROUNDED_TOKEN_FILE": str(folder / "token"),
            "GROUNDED_N8N_DIR": str(n8n_dir),
            "N8N_USER_FOLDER": str(folder / "n8n"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert requests.get(f"{sidecar_url}/readyz", timeout=PATIENCE_S).status_code == 200


@pytest.mark.parametrize(
    ("script", "given", "missing"),
    [
        ("n8n-entry.sh", {}, "GROUNDED_N8N_DIR"),
        ("n8n-entry.sh", {"GROUNDED_N8N_DIR": "/x"}, "N8N_ENCRYPTION_KEY"),
        ("n8n-entry.sh", {"GROUNDED_N8N_DIR": "/x", "N8N_ENCRYPTION_KEY": "k"}, "N8N_OWNER_EMAIL"),
        ("sidecar-entry.sh", {"GROUNDED_STATE": "/x"}, "GROUNDED_N8N_URL"),
        (
            "sidecar-entry.sh",
            {"GROUNDED_STATE": "/x", "GROUNDED_N8N_URL": "http://127.0.0.1:9"},
            "GROUNDED_N8N_API_KEY",
        ),
        ("sync-entry.sh", {}, "GROUNDED_URL"),
        (
            "sync-entry.sh",
            {"GROUNDED_URL": "http://127.0.0.1:9", "GROUNDED_N8N_DIR": "/x"},
            "GROUNDED_TOKEN_FILE",
        ),
    ],
)
def test_a_missing_variable_is_named(script: str, given: dict[str, str], missing: str) -> None:
    """A start without a needed variable ends at once and names it."""
    done = subprocess.run(
        [str(_DOCKER / script)],
        env={"PATH": _PATH, **given},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert done.returncode != 0
    assert missing in done.stderr


def _entry(script: str, log: Path, given: dict[str, str]) -> Child:
    return spawn([str(_DOCKER / script)], {"PATH": _PATH, **given}, log)


def _exits_0(command: list[str]) -> bool:
    return subprocess.run(command, check=False, timeout=PATIENCE_S).returncode == 0


def _until(healthy: Callable[[], bool], child: Child, log: Path) -> None:
    def serves() -> bool:
        assert child.alive(), tail(log)
        return healthy()

    until(serves, f"it is not healthy, {log}")
