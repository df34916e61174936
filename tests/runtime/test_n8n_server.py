"""The launcher of n8n, on a real n8n of its own."""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import requests

from runtime import n8n_server
from runtime.child import Child
from runtime.ports import free_port
from tests.support.time_bounds import PATIENCE_S, until


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory, n8n_dir: Path) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("launcher")
    yield folder
    n8n_server.stop(folder)


def test_a_killed_n8n_comes_back_with_the_same_owner_and_key(state: Path) -> None:
    """Start, start again, kill -9, start, stop: one n8n, one identity, nothing left behind."""
    first = n8n_server.start(state)
    assert first.url.startswith("http://127.0.0.1:")
    assert _workflows(first) == 200

    assert n8n_server.start(state) == first, "a second start returns the running one"

    secret = ("n8n-password", "n8n-api-key", "n8n-encryption-key", "n8n.json")
    assert {stat.S_IMODE((state / name).stat().st_mode) for name in secret} == {0o600}

    os.killpg(first.pid, signal.SIGKILL)
    _until_dead(Child(first.pid, first.born))
    assert n8n_server.current(state) is None

    second = n8n_server.start(state)
    assert (second.email, second.password, second.api_key) == (
        first.email,
        first.password,
        first.api_key,
    )
    assert _workflows(second) == 200

    assert n8n_server.stop(state) is True
    assert not second.alive()
    with pytest.raises(requests.ConnectionError):
        _workflows(second)
    assert n8n_server.stop(state) is False


def test_a_start_that_fails_shows_the_end_of_the_log(tmp_path: Path, n8n_dir: Path) -> None:
    """n8n ending by itself is an error with n8n's own words, and nothing keeps running."""
    with pytest.raises(SystemExit, match=r"(?s)n8n ended while starting.*n8n\.log ends:.*bcrypt"):
        n8n_server.start(tmp_path, extra_env={"N8N_INSTANCE_OWNER_PASSWORD_HASH": "plain"})
    assert n8n_server.current(tmp_path) is None
    assert not (tmp_path / "n8n.json").exists()


def test_a_pid_that_was_given_away_is_not_ours(tmp_path: Path) -> None:
    """A descriptor whose pid now belongs to another program never gets that program signalled."""
    own = os.getpid()
    born = int(Path(f"/proc/{own}/stat").read_text().rpartition(")")[2].split()[19])
    assert Child(own, born).alive()
    stranger = Child(own, born - 1)
    assert not stranger.alive()
    stranger.stop()

    server = n8n_server.N8nServer(
        url="http://127.0.0.1:9", email="", password="", api_key="k", pid=own, born=born - 1,
        log="", user_folder="", n8n_dir="", node="",
    )  # fmt: skip
    server.write(tmp_path / "n8n.json")
    assert n8n_server.current(tmp_path) is None
    replace(server, born=born).write(tmp_path / "n8n.json")
    assert n8n_server.current(tmp_path) is not None


def test_a_taken_port_is_replaced() -> None:
    """A wanted port that something listens on is not returned; a free one is."""
    free = free_port()
    assert free_port(free) == free
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert free_port(port) != port


def _workflows(server: n8n_server.N8nServer) -> int:
    return requests.get(
        f"{server.url}/api/v1/workflows",
        headers={"X-N8N-API-KEY": server.api_key},
        timeout=PATIENCE_S,
    ).status_code


def _until_dead(child: Child) -> None:
    until(lambda: not child.alive(), "it lives on")
