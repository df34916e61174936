"""Finds a Node that is new enough to read the installed n8n packages, and reports it."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from grounded_builder.interfaces.cli.doctor.finding import Observation

_PART = "node"
# The oldest Node for node-catalog-sync; n8n may require a newer one.
_LEAST = (22, 13)
_PATIENCE_S = 10
_VERSION = re.compile(r"v(\d{1,4})\.(\d{1,4})\.(\d{1,4})")


def check_node(environ: Mapping[str, str], *, needed: bool) -> Observation:
    """Returns the first Node that is new enough: GROUNDED_NODE, on PATH, or in the shared cache.

    ``needed`` is true where n8n is in use: nothing else needs Node.
    """
    wanted = ".".join(map(str, _LEAST))
    misses: list[str] = []
    for place in _places(environ):
        version = _version_of(place)
        if version is not None and version >= _LEAST:
            return Observation(_PART, "ok", f"{'.'.join(map(str, version))} at {place}")
        value = "reports no version" if version is None else f"is older than {wanted}"
        misses.append(f"{place} {value}")
    text = "; ".join(misses) or "no Node was found"
    help_text = f"install Node {wanted} or newer, or name one with GROUNDED_NODE"
    result = f"{text}: catalogs of n8n cannot be created here"
    return Observation(_PART, "doubtful" if needed else "absent", result, help_text)


def _version_of(program: str) -> tuple[int, ...] | None:
    try:
        ran = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.fullmatch(ran.stdout.strip())
    return None if match is None else tuple(map(int, match.groups()))


def _places(environ: Mapping[str, str]) -> Iterator[str]:
    if named := environ.get("GROUNDED_NODE"):
        yield named
    if on_path := shutil.which("node", path=environ.get("PATH")):
        yield on_path
    own = environ.get("GROUNDED_CACHE")
    base = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME", "/")) / ".cache"
    cache = Path(own) if own else Path(base) / "grounded-builder"
    glob = cache.glob("node/*/bin/node")
    yield from map(str, sorted(glob, key=_version_number, reverse=True))


def _version_number(place: Path) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", place.parents[1].name)))
