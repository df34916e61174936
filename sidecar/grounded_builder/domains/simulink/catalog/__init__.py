"""Loads the Simulink catalog that ships with the package, for users without one of their own."""

from __future__ import annotations

from importlib.resources import files

import zstandard

_LARGEST = 64_000_000


def builtin() -> bytes:
    """Returns the catalog file that ``scripts/simulink/catalog.py`` compiled."""
    packed = (files(__package__) / "builtin.zst").read_bytes()
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LARGEST)
