"""Reports whether the state folder is writable and private, and how much disk space is left."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from grounded_builder.interfaces.cli.doctor.finding import Observation

_PART, _DISK = "state folder", "disk"
# A catalog file is 20 MB; a full disk stops every command that writes.
_TOO_LITTLE = 100_000_000
_LITTLE = 1_000_000_000
_OTHERS = 0o077


def check_folder(state: Path) -> Observation:
    """Returns whether state can be stored, and is readable by its owner only."""
    if not state.exists():
        beyond = next(parent for parent in state.parents if parent.exists())
        if beyond.is_dir() and os.access(beyond, os.W_OK | os.X_OK):
            return Observation(_PART, "absent", f"{state} is created on first use")
        text = f"{state} cannot be created in {beyond}"
        return Observation(_PART, "failed", text, "set GROUNDED_STATE to a folder of yours")
    if not state.is_dir():
        text = f"{state} is not a folder"
        return Observation(_PART, "failed", text, "set GROUNDED_STATE to a folder")
    if not os.access(state, os.R_OK | os.W_OK | os.X_OK):
        text = f"{state} is not writable"
        return Observation(
            _PART, "failed", text, "make it writable for the user who runs `grounded`"
        )
    open_to = sorted(path.name for path in state.glob("grounded.db*") if _is_open(path))
    if open_to:
        text = f"others can read {', '.join(open_to)} in {state}, which contains the keys"
        return Observation(_PART, "failed", text, f"chmod 600 {state}/grounded.db*")
    return Observation(_PART, "ok", str(state))


def check_disk(state: Path) -> Observation:
    """Returns how much disk space is left for the state folder."""
    place = next(path for path in (state, *state.parents) if path.exists())
    free = shutil.disk_usage(place).free
    text = f"{free / 1e9:.1f} GB free at {place}"
    if free < _TOO_LITTLE:
        return Observation(
            _DISK, "failed", text, "free disk space: nothing can be stored without it"
        )
    if free < _LITTLE:
        return Observation(_DISK, "doubtful", text, "free disk space before it runs out")
    return Observation(_DISK, "ok", text)


def _is_open(file: Path) -> bool:
    return bool(stat.S_IMODE(file.stat().st_mode) & _OTHERS)
