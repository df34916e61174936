"""Runs the command line ``grounded``.

The exit status is 0 for clean, 1 for findings, and 2 for usage or environment errors.
"""

import gc

# Nothing that an import makes is garbage, and looking for it takes an eighth of the start.
_was_enabled = gc.isenabled()
gc.disable()
from grounded_builder.interfaces.cli.main import main  # noqa: E402

gc.freeze()
if _was_enabled:
    gc.enable()

__all__ = ["main"]
