"""The command line, ``grounded``: exit 0 clean, 1 findings, 2 usage or environment."""

from grounded_builder.interfaces.cli.main import main

__all__ = ["main"]
