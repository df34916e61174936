"""Picks loopback ports."""

from __future__ import annotations

import socket


def free_port(wanted: int | None = None) -> int:
    """Returns `wanted` when nothing listens there, else any free port of loopback."""
    if wanted is not None and _free(wanted):
        return wanted
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
