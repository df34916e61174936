"""Compiles the built-in Simulink catalog that ships with the package.

Run by ``python -m scripts.simulink.catalog`` from a checkout that has the collected facts beside
it. It reads facts (names, numbers, enumerations, port counts), and none of MathWorks' texts:
what a block does is said in our own few words or made of its place. The answer is a catalog file
like any other, compressed, the same bytes for the same facts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import zstandard

from scripts.simulink.sources import Sources, read_sources
from scripts.simulink.tools import Libraries

TARGET = Path(__file__).parents[2] / "sidecar/grounded_builder/domains/simulink/catalog/builtin.zst"
_LEVEL = 19


def compile_catalog(sources: Sources) -> bytes:
    """Return the catalog file, one JSON line for each block, uncompressed."""
    tools = list(Libraries(sources).entries())
    # Only the base library is complete: a block that another library lacks here may exist.
    packages = ["simulink"]
    header: dict[str, Any] = {
        "kind": "header",
        "domain": "simulink",
        "schema": 1,
        "origin": "builtin",
        "versions": {},
        "packages": [{"name": name} for name in packages],
        "generator": "scripts.simulink.catalog",
    }
    end = {"kind": "end", "tools": len(tools), "credentials": 0}
    return b"".join(orjson.dumps(line) + b"\n" for line in (header, *tools, end))


def main() -> None:
    """Write the catalog into the package."""
    content = compile_catalog(read_sources())
    TARGET.write_bytes(zstandard.ZstdCompressor(level=_LEVEL).compress(content))
    tools = content.count(b'"kind":"tool"')
    print(f"{tools} blocks, {len(content):,} bytes, {TARGET.stat().st_size:,} compressed")


if __name__ == "__main__":
    main()
