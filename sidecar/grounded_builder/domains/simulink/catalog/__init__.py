"""The catalog that ships with the package, for whoever has not synced one of their own."""

from __future__ import annotations

from importlib.resources import files

import zstandard

_LARGEST = 64_000_000


def builtin() -> bytes:
    """The catalog file, as ``scripts/simulink/catalog.py`` compiled it."""
    packed = (files(__package__) / "builtin.zst").read_bytes()
    return zstandard.ZstdDecompressor().decompress(packed, max_output_size=_LARGEST)
