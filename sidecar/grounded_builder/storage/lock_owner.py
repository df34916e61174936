"""Identifies this process as the holder of a row, and determines whether a holder has ended."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def process_id() -> str:
    """Returns the identity of this process: host, boot, process namespace, number and start.

    Systems without these facts give fewer.
    """
    pid = os.getpid()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = str(Path("/proc/self/ns/pid").readlink())
        return f"{socket.gethostname()[:100]}/{boot}/{space}/{pid}/{_start_time(pid)}"
    except OSError:
        return f"{socket.gethostname()[:100]}/-/-/{pid}/-"


def has_ended(holder: str) -> bool:
    """Returns whether a holder is an ended process of this system; False when unknown."""
    return _runs(holder) is False


def runs_here(holder: str) -> bool:
    """Returns whether a holder is a running process of this system; False when unknown."""
    return _runs(holder) is True


def _runs(holder: str) -> bool | None:
    """Returns whether the process of a holder runs; None for a process of another system."""
    parts = holder.split("/")
    ours = process_id().split("/")
    if len(parts) != len(ours) + 1 or parts[:3] != ours[:3] or parts[1] == "-":
        return None
    try:
        return _start_time(int(parts[3])) == parts[4]
    except (OSError, ValueError):
        return False


def _start_time(pid: int) -> str:
    """Returns the start of a process in ticks since boot; empty for one that has ended."""
    # The command's name may contain blanks and brackets: fields are counted from the last bracket.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return "" if fields[0] in ("Z", "X") else fields[19]
