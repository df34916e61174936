"""Finds free loopback ports."""

from __future__ import annotations

import secrets
import socket

# Below 32768, where Linux starts to assign ports to outgoing connections.
_LOWEST, _COUNT = 20_000, 12_000


def free_port(wanted: int | None = None) -> int:
    """Returns `wanted` if nothing listens there, otherwise any free loopback port."""
    if wanted is not None and _free(wanted):
        return wanted
    while True:
        port = _LOWEST + secrets.randbelow(_COUNT)
        if _free(port):
            return port


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
