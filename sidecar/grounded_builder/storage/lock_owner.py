"""Who holds a row: this process, told apart from all others, also after it has ended."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def process_id() -> str:
    """This process by host, boot, process namespace, number and start; other systems say less."""
    pid = os.getpid()
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        space = str(Path("/proc/self/ns/pid").readlink())
        return f"{socket.gethostname()[:100]}/{boot}/{space}/{pid}/{_born(pid)}"
    except OSError:
        return f"{socket.gethostname()[:100]}/-/-/{pid}/-"


def has_ended(holder: str) -> bool:
    """Returns whether a holder is a process of this very system that is no more; False when
    unknown.
    """
    return _runs(holder) is False


def runs_here(holder: str) -> bool:
    """Returns whether a holder is a process of this very system that runs; False when unknown."""
    return _runs(holder) is True


def _runs(holder: str) -> bool | None:
    """Returns whether the process of a holder runs; None for that of another system."""
    parts = holder.split("/")
    ours = process_id().split("/")
    if len(parts) != len(ours) + 1 or parts[:3] != ours[:3] or parts[1] == "-":
        return None
    try:
        return _born(int(parts[3])) == parts[4]
    except (OSError, ValueError):
        return False


def _born(pid: int) -> str:
    """When a process began, in ticks since boot; empty for one that ended and was not collected."""
    # The command's name may hold blanks and brackets: fields count from the last bracket.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return "" if fields[0] in ("Z", "X") else fields[19]
