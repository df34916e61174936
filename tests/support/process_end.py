"""Defines work that kills its own process or hides an interrupt, to test process isolation."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from grounded_builder.compiler.time_limit import TimeLimitExceededError


def end_at_first(mark: Path) -> str:
    """Kills its process if the mark does not exist yet, and creates the mark."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def end_always() -> None:
    """Kills its process."""
    os.kill(os.getpid(), signal.SIGKILL)


def hide_first_interrupt(mark: Path) -> str:
    """Works until interrupted if the mark does not exist yet, then raises another error."""
    if mark.exists():
        return "done"
    mark.touch()
    try:
        while True:
            pass
    except TimeLimitExceededError as error:
        raise ValueError from error
