"""Provides a real sidecar for the n8n of the test run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from runtime import sidecar_server
from runtime.n8n_server import N8nServer
from runtime.sidecar_server import Sidecar
from tests.support.n8n_server import provide_catalog

_TIMEOUT_S = 240


@pytest.fixture(scope="session")
def sidecar(tmp_path_factory: pytest.TempPathFactory, n8n: N8nServer) -> Iterator[Sidecar]:
    """Yields a ``grounded serve`` process with a new state and the catalog of this n8n."""
    state = tmp_path_factory.mktemp("sidecar-state")
    try:
        served = sidecar_server.start(state, n8n)
        catalog = provide_catalog(Path(n8n.user_folder)).read_bytes()
        assert ask_sidecar(served, "PUT", "/v1/n8n/catalog", catalog).ok
        yield served
    finally:
        sidecar_server.stop(state)


def ask_sidecar(sidecar: Sidecar, method: str, path: str, body: Any = None) -> requests.Response:
    """Returns the sidecar's answer to a request with its first token."""
    return requests.request(
        method,
        f"{sidecar.url}{path}",
        **({"data": body} if isinstance(body, bytes) else {"json": body}),
        headers={"Authorization": f"Bearer {sidecar.token()}"},
        timeout=_TIMEOUT_S,
    )
