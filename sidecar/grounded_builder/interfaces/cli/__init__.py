"""The command line, ``grounded``: exit status 0 for clean, 1 for findings, 2 for usage or
environment errors.
"""

from grounded_builder.interfaces.cli.main import main

__all__ = ["main"]
