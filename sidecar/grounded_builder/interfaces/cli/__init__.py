"""Runs the command line ``grounded``.

The exit status is 0 for clean, 1 for findings, and 2 for usage or environment errors.
"""

from grounded_builder.interfaces.cli.main import main

__all__ = ["main"]
