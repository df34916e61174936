"""The capabilities of the terminal."""

from __future__ import annotations

import os
import shutil
import sys

from rich.console import Console

from grounded_builder.diagnostics.excerpt import Look

_NO_TERMINAL = 100


def terminal_look() -> Look:
    """Returns the columns and colours of standard output; NO_COLOR and TERM=dumb
    disable colours.
    """
    console = Console()
    colour = console.is_terminal and not console.no_color and console.color_system is not None
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return Look(shutil.get_terminal_size().columns, colour)
    return Look(_NO_TERMINAL, colour)
